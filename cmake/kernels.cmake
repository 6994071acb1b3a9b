# lib/lockstep/libcublas.so.13 and its like: libraries for the user's programs with kernels in them, which `lockstep cc` compiles. Without a clang there are
# none, and `lockstep cc` says so where a program wants one. Objects are linked here, so that a library finds libcudart beside itself wherever
# the tree lies.

# lockstep_add_kernels(NAME VERSION FOLDER SOURCES...): lib/lockstep/libNAME.so.VERSION of .cu files under src/cuda/FOLDER, with the symbols of
# src/cuda/libNAME.map. FOLDER's objects are those of its other libraries too, where they name the same sources.
function(lockstep_add_kernels name version part)
    set(folder "${CMAKE_SOURCE_DIR}/src/cuda/${part}")
    set(file "lib${name}.so.${version}")
    set(library "${CMAKE_BINARY_DIR}/lib/lockstep/${file}")
    set(map "${CMAKE_SOURCE_DIR}/src/cuda/lib${name}.map")
    string(REGEX REPLACE "(Lt|Mg)$" "" headers "${name}")
    file(GLOB inner CONFIGURE_DEPENDS "${folder}/*.cuh" "${CMAKE_SOURCE_DIR}/src/cuda/kernels/*.cuh")
    file(GLOB interface CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/cuda/include/${headers}*.h" "${CMAKE_SOURCE_DIR}/src/cuda/include/lockstep/${headers}*.h")
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/kernels/${part}")
    set(objects)
    foreach(source IN LISTS ARGN)
        set(object "${CMAKE_BINARY_DIR}/kernels/${part}/${source}.o")
        add_custom_command(OUTPUT "${object}" COMMENT "Compiling kernels of ${part}/${source}" VERBATIM
            COMMAND "${CMAKE_BINARY_DIR}/bin/lockstep" cc -O2 -Xcompiler -fPIC -c "${folder}/${source}.cu" -o "${object}"
            DEPENDS "${folder}/${source}.cu" ${inner} ${interface})
        list(APPEND objects "${object}")
    endforeach()
    add_custom_command(OUTPUT "${library}" VERBATIM
        COMMAND "${CMAKE_C_COMPILER}" -shared ${objects} "${CMAKE_BINARY_DIR}/lib/lockstep/libcudart.so.13" "-Wl,-soname,${file}"
            "-Wl,--version-script=${map}" "-Wl,-rpath,$ORIGIN" -lstdc++ -lm -o "${library}"
        DEPENDS ${objects} "${map}")
    file(CREATE_LINK ${file} "${CMAKE_BINARY_DIR}/lib/lockstep/lib${name}.so" SYMBOLIC) # for linkers
    add_custom_target(kernels_${name} ALL DEPENDS "${library}")
    add_dependencies(kernels_${name} lockstep)
    install(FILES "${library}" "${CMAKE_BINARY_DIR}/lib/lockstep/lib${name}.so" DESTINATION lib/lockstep)
endfunction()

find_program(LOCKSTEP_ANY_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
if(TARGET lockstep AND TARGET cudart AND LOCKSTEP_ANY_CLANG)
    lockstep_add_kernels(cublas 13 blas context vectors lines packed gemm matrices batched long)
    lockstep_add_kernels(cublasLt 13 blas lt)
    lockstep_add_kernels(cusparse 12 sparse context descriptors lines vectors products multiply solve convert legacy factors)
    lockstep_add_kernels(cufft 12 fft axis plans exec several)
    lockstep_add_kernels(cusolver 12 solver context factors rotations wide pairs)
    lockstep_add_kernels(cusolverMg 12 solver context factors rotations pairs several)
endif()
