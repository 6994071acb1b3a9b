# What a user runs: bin/lockstep, and lib/lockstep/libcudart.so.13 and libcuda.so.1 for the CUDA programs under it. The libraries have a
# folder of their own, where no other program looks for CUDA's: `lockstep run` and `lockstep cc` name it.
if(EXISTS "${CMAKE_SOURCE_DIR}/src/cli/main.c")
    add_executable(lockstep src/cli/main.c)
    target_link_libraries(lockstep PRIVATE ls_cli ls_report ls_gpu)
endif()

# lockstep_add_cudart(TARGET MAJOR MAP [NAME]): lib/lockstep/libcudart.so.MAJOR for programs built for that version of CUDA, or
# lib/lockstep/libNAME.so.MAJOR of the same objects. Only symbols that the sources mark with default visibility and the map names leave the
# library.
function(lockstep_add_cudart target major map)
    set(name cudart)
    if(ARGC GREATER 3)
        set(name ${ARGV3})
    endif()
    add_library(${target} SHARED $<TARGET_OBJECTS:ls_cuda_objects>)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME ${name} SUFFIX ".so.${major}" NO_SONAME ON
        LINK_DEPENDS "${map}" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/lockstep")
    target_link_libraries(${target} PRIVATE ls_monitor ls_gpu ${lockstep_external_cuda})
    target_link_options(${target} PRIVATE "-Wl,-soname,lib${name}.so.${major}" "-Wl,--version-script=${map}"
        -Wl,--exclude-libs,ALL)
    if(CMAKE_BUILD_TYPE MATCHES "^(Release|Debug)$")
        target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
    if(TARGET lockstep)
        add_dependencies(lockstep ${target})
    endif()
endfunction()

if(TARGET ls_cuda_objects)
    lockstep_add_cudart(cudart 13 "${CMAKE_SOURCE_DIR}/src/cuda/libcudart.map")
    lockstep_add_cudart(cudart12 12 "${CMAKE_SOURCE_DIR}/src/cuda/libcudart12.map")
    lockstep_add_cudart(cuda 1 "${CMAKE_SOURCE_DIR}/src/cuda/libcuda.map" cuda)
    lockstep_add_cudart(nvrtc 13 "${CMAKE_SOURCE_DIR}/src/cuda/libnvrtc.map" nvrtc)
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lib/lockstep")
    file(CREATE_LINK libcuda.so.1 "${CMAKE_BINARY_DIR}/lib/lockstep/libcuda.so" SYMBOLIC) # for linkers: -lcuda
    file(CREATE_LINK libnvrtc.so.13 "${CMAKE_BINARY_DIR}/lib/lockstep/libnvrtc.so" SYMBOLIC)
endif()

# share/lockstep: the CUDA headers for `lockstep cc` and the cases, cards and programs of `lockstep validate`; in the build tree links to the sources.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/lockstep")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/cuda/include" "${CMAKE_BINARY_DIR}/share/lockstep/include" SYMBOLIC)
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/tests/reference" "${CMAKE_BINARY_DIR}/share/lockstep/reference" SYMBOLIC)
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/hardware" "${CMAKE_BINARY_DIR}/share/lockstep/hardware" SYMBOLIC)
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/tools/measure" "${CMAKE_BINARY_DIR}/share/lockstep/measure" SYMBOLIC)
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/studies" "${CMAKE_BINARY_DIR}/share/lockstep/studies" SYMBOLIC)
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/workloads" "${CMAKE_BINARY_DIR}/share/lockstep/workloads" SYMBOLIC)

# What clang makes of the CUDA headers, so that `lockstep cc` need not read them for every program. Without a clang there is none.
file(GLOB_RECURSE lockstep_cuda_headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/cuda/include/*.h")
if(TARGET lockstep AND CMAKE_BUILD_TYPE STREQUAL "Release")
    set(headers "${CMAKE_BINARY_DIR}/share/lockstep/headers")
    file(MAKE_DIRECTORY "${headers}")
    add_custom_command(OUTPUT "${headers}/made" COMMENT "Preparing CUDA headers" VERBATIM
        COMMAND sh -c "\"$0\" cc --prepare-headers >/dev/null 2>&1; : >\"$1\"" "${CMAKE_BINARY_DIR}/bin/lockstep" "${headers}/made"
        DEPENDS ${lockstep_cuda_headers} "${CMAKE_SOURCE_DIR}/src/cli/cc.c" "${CMAKE_SOURCE_DIR}/src/cli/cc_headers.c")
    add_custom_target(prepared_headers ALL DEPENDS "${headers}/made")
    add_dependencies(prepared_headers lockstep)
endif()
