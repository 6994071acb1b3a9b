# lib/lockstep/libcublas.so.13: libraries for the user's programs with kernels in them, which `lockstep cc` compiles. Without a clang there are
# none, and `lockstep cc` says so where a program wants one. Objects are linked here, so that the library finds libcudart beside itself wherever
# the tree lies.

# lockstep_add_kernels(NAME SOURCES...): lib/lockstep/libNAME.so.13 of .cu files under src/cuda/blas, with the symbols of src/cuda/libNAME.map.
function(lockstep_add_kernels name)
    set(folder "${CMAKE_SOURCE_DIR}/src/cuda/blas")
    set(library "${CMAKE_BINARY_DIR}/lib/lockstep/lib${name}.so.13")
    set(map "${CMAKE_SOURCE_DIR}/src/cuda/lib${name}.map")
    file(GLOB inner CONFIGURE_DEPENDS "${folder}/*.cuh")
    file(GLOB interface CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/cuda/include/cublas*.h" "${CMAKE_SOURCE_DIR}/src/cuda/include/lockstep/cublas*.h")
    set(objects)
    foreach(source IN LISTS ARGN)
        set(object "${CMAKE_BINARY_DIR}/kernels/${source}.o")
        add_custom_command(OUTPUT "${object}" COMMENT "Compiling kernels of ${source}" VERBATIM
            COMMAND "${CMAKE_BINARY_DIR}/bin/lockstep" cc -O2 -Xcompiler -fPIC -c "${folder}/${source}.cu" -o "${object}"
            DEPENDS "${folder}/${source}.cu" ${inner} ${interface})
        list(APPEND objects "${object}")
    endforeach()
    add_custom_command(OUTPUT "${library}" VERBATIM
        COMMAND "${CMAKE_C_COMPILER}" -shared ${objects} "${CMAKE_BINARY_DIR}/lib/lockstep/libcudart.so.13" "-Wl,-soname,lib${name}.so.13"
            "-Wl,--version-script=${map}" "-Wl,-rpath,$ORIGIN" -lm -o "${library}"
        DEPENDS ${objects} "${map}")
    file(CREATE_LINK lib${name}.so.13 "${CMAKE_BINARY_DIR}/lib/lockstep/lib${name}.so" SYMBOLIC) # for linkers
    add_custom_target(kernels_${name} ALL DEPENDS "${library}")
    add_dependencies(kernels_${name} lockstep)
    install(FILES "${library}" "${CMAKE_BINARY_DIR}/lib/lockstep/lib${name}.so" DESTINATION lib/lockstep)
endfunction()

find_program(LOCKSTEP_ANY_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
if(TARGET lockstep AND TARGET cudart AND LOCKSTEP_ANY_CLANG)
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/kernels")
    lockstep_add_kernels(cublas context vectors lines gemm matrices batched)
    lockstep_add_kernels(cublasLt lt)
endif()
