# cmake -DCMAKE_TOOLCHAIN_FILE=.../share/lockstep/cuda/lockstep.cmake: CUDA is Lockstep's, and programs find its libcudart without `lockstep run`.
get_filename_component(lockstep_toolkit "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
set(CMAKE_CUDA_COMPILER "${lockstep_toolkit}/bin/nvcc" CACHE FILEPATH "")
set(CUDAToolkit_ROOT "${lockstep_toolkit}" CACHE PATH "")
foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-rpath,${lockstep_toolkit}/lib64")
endforeach()
