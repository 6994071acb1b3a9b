# cmake --install BUILD --prefix PREFIX, which heeds DESTDIR. Lockstep finds its own files from where its program lies, so that a tree which
# was installed can be moved:
#     bin/lockstep               lib/lockstep/     libcudart.so.13 and .12, libcuda.so.1, libnvrtc.so.13, the monitor: a folder that no other program looks into
#     include/lockstep/          headers for schedulers and observers of users, and share/pkgconfig/lockstep.pc for them
#     lib/liblockstep.so         for programs of users, and lib/pkgconfig/liblockstep.pc (library.cmake)
#     share/lockstep/cuda/       laid out as an installation of CUDA (toolkit.cmake)
#     share/lockstep/            CUDA headers of `lockstep cc`, workloads, studies, reference cases, machines, examples, cards and the programs that measure them
#     share/doc/lockstep/        README.md and docs/, with links to what they name
#     share/man/man1/, and completions for bash, zsh and fish
set(lockstep_data share/lockstep)
set(lockstep_doc share/doc/lockstep)

install(TARGETS lockstep RUNTIME DESTINATION bin)
foreach(library cudart cudart12 cuda nvrtc lockstep_monitor)
    if(TARGET ${library})
        install(TARGETS ${library} LIBRARY DESTINATION lib/lockstep)
    endif()
endforeach()
if(TARGET cuda)
    install(FILES "${CMAKE_BINARY_DIR}/lib/lockstep/libcuda.so" "${CMAKE_BINARY_DIR}/lib/lockstep/libnvrtc.so" DESTINATION lib/lockstep)
endif()

install(DIRECTORY src/cuda/include machines workloads studies examples hardware tools/measure DESTINATION ${lockstep_data})
install(DIRECTORY tests/reference DESTINATION ${lockstep_data} PATTERN "*.sh" EXCLUDE)
install(DIRECTORY DESTINATION ${lockstep_data}/headers)
install(DIRECTORY "${CMAKE_BINARY_DIR}/share/lockstep/cuda" DESTINATION ${lockstep_data} USE_SOURCE_PERMISSIONS)

install(DIRECTORY include/lockstep DESTINATION include COMPONENT development)
configure_file(cmake/lockstep.pc.in "${CMAKE_BINARY_DIR}/generated/lockstep.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/generated/lockstep.pc" DESTINATION share/pkgconfig COMPONENT development)

install(FILES README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff LICENSE DESTINATION ${lockstep_doc})
install(DIRECTORY docs DESTINATION ${lockstep_doc})
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/generated/doc")
foreach(folder examples hardware machines studies workloads)
    file(CREATE_LINK ../../lockstep/${folder} "${CMAKE_BINARY_DIR}/generated/doc/${folder}" SYMBOLIC)
    install(FILES "${CMAKE_BINARY_DIR}/generated/doc/${folder}" DESTINATION ${lockstep_doc})
endforeach()

install(DIRECTORY "${LOCKSTEP_MANUALS}/man1" DESTINATION share/man)
install(FILES "${LOCKSTEP_MANUALS}/completions/lockstep" DESTINATION share/bash-completion/completions)
install(FILES "${LOCKSTEP_MANUALS}/completions/_lockstep" DESTINATION share/zsh/site-functions)
install(FILES "${LOCKSTEP_MANUALS}/completions/lockstep.fish" DESTINATION share/fish/vendor_completions.d)

# What clang makes of the headers holds for the place where they lie: made there, unless the tree goes into a package (DESTDIR), which does so
# when it is installed. Without a clang there is none, and `lockstep cc` reads the text.
install(CODE [[
    if(NOT "$ENV{DESTDIR}")
        execute_process(COMMAND "${CMAKE_INSTALL_PREFIX}/bin/lockstep" cc --prepare-headers OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE ignored)
    endif()]])
