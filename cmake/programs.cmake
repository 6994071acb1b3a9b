# The two things a user runs: bin/lockstep, and lib/libcudart.so.13 for the CUDA programs under it.
if(EXISTS "${CMAKE_SOURCE_DIR}/src/cli/main.c")
    add_executable(lockstep src/cli/main.c)
    target_link_libraries(lockstep PRIVATE ls_cli ls_report ls_gpu)
endif()

set(cudart_map "${CMAKE_SOURCE_DIR}/src/cuda/libcudart.map")
if(TARGET ls_cuda_objects AND EXISTS "${cudart_map}")
    # Only symbols that the sources mark with default visibility and the map names leave the library.
    add_library(cudart SHARED $<TARGET_OBJECTS:ls_cuda_objects>)
    set_target_properties(cudart PROPERTIES LINKER_LANGUAGE C SOVERSION 13 LINK_DEPENDS "${cudart_map}")
    target_link_libraries(cudart PRIVATE ls_gpu ${lockstep_external_cuda})
    target_link_options(cudart PRIVATE "-Wl,--version-script=${cudart_map}" -Wl,--exclude-libs,ALL)
    if(CMAKE_BUILD_TYPE MATCHES "^(Release|Debug)$")
        target_link_options(cudart PRIVATE -Wl,--no-undefined)
    endif()
    if(TARGET lockstep)
        add_dependencies(lockstep cudart)
    endif()
endif()

# share/lockstep/include: the CUDA headers for `lockstep cc`; in the build tree a link to the sources.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/lockstep")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/cuda/include" "${CMAKE_BINARY_DIR}/share/lockstep/include" SYMBOLIC)
