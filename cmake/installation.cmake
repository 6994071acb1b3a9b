# cmake --install BUILD --prefix PREFIX: PREFIX/bin/lockstep, PREFIX/lib/libcudart.so.13 and .12, PREFIX/share/lockstep/,
# and the public headers in PREFIX/include/lockstep/.
foreach(program lockstep cudart cudart12 lockstep_monitor)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
    endif()
endforeach()
install(DIRECTORY src/cuda/include DESTINATION share/lockstep OPTIONAL)
foreach(folder machines workloads studies)
    install(DIRECTORY ${folder} DESTINATION share/lockstep OPTIONAL)
endforeach()
install(DIRECTORY tests/reference DESTINATION share/lockstep PATTERN "*.sh" EXCLUDE)
install(DIRECTORY include/lockstep DESTINATION include OPTIONAL)
install(FILES LICENSE DESTINATION share/lockstep)
