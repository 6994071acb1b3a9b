# share/lockstep/cuda: a folder laid out as an installation of CUDA, for build files that want one: CMAKE_CUDA_COMPILER=.../bin/nvcc, CUDA_HOME.
# In the build tree, from where it is installed as it is: every link in it is relative.
set(toolkit "${CMAKE_BINARY_DIR}/share/lockstep/cuda")
file(MAKE_DIRECTORY "${toolkit}/bin" "${toolkit}/lib64/stubs" "${toolkit}/nvvm/libdevice")
configure_file(cmake/toolkit/nvcc "${toolkit}/bin/nvcc" COPYONLY)
configure_file(cmake/toolkit/host-link "${toolkit}/bin/host-link" COPYONLY)
configure_file(cmake/toolkit/lockstep.cmake "${toolkit}/lockstep.cmake" COPYONLY)
file(CREATE_LINK ../include "${toolkit}/include" SYMBOLIC)
foreach(name libcudart.so.13 libcuda.so.1) # programs that CMake links look for them here
    file(CREATE_LINK ../../../../lib/lockstep/${name} "${toolkit}/lib64/${name}" SYMBOLIC)
endforeach()
file(CREATE_LINK libcudart.so.13 "${toolkit}/lib64/libcudart.so" SYMBOLIC)
file(CREATE_LINK libcuda.so.1 "${toolkit}/lib64/libcuda.so" SYMBOLIC)
file(CREATE_LINK ../libcuda.so "${toolkit}/lib64/stubs/libcuda.so" SYMBOLIC)
foreach(library nvrtc.13 cublas.13 cublasLt.13 cusparse.12 cufft.12 cusolver.12 cusolverMg.12) # where they were built (kernels.cmake)
    string(REGEX REPLACE "[.].*" "" name "${library}")
    string(REPLACE "." ".so." file "lib${library}")
    file(CREATE_LINK ../../../../lib/lockstep/${file} "${toolkit}/lib64/${file}" SYMBOLIC)
    file(CREATE_LINK ${file} "${toolkit}/lib64/lib${name}.so" SYMBOLIC)
    file(WRITE "${toolkit}/lib64/lib${name}_static.a" "INPUT(lib${name}.so)\n")
endforeach()

# Libraries whose parts are headers or in libcudart, and those that are not there but that build files name for programs which do not call
# them: the linker reads these as its own scripts.
foreach(name libcudart_static.a libcurand.so libcurand_static.a libnvToolsExt.so libcufftw.so)
    file(WRITE "${toolkit}/lib64/${name}" "INPUT(libcudart.so)\n")
endforeach()
file(WRITE "${toolkit}/lib64/libcudadevrt.a" "!<arch>\n")
file(WRITE "${toolkit}/lib64/libculibos.a" "!<arch>\n")
