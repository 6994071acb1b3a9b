# machines/*.yaml become the C array of src/gpu/machines_embedded.h, so that a program carries its machines with it.
file(GLOB machine_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/machines/*.yaml")
list(JOIN machine_files "|" machine_argument)
add_custom_command(
    OUTPUT "${CMAKE_BINARY_DIR}/generated/machines_embedded.c"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${machine_argument}"
            "-DOUTPUT=${CMAKE_BINARY_DIR}/generated/machines_embedded.c" -DHEADER=gpu/machines_embedded.h
            "-DARRAY=const struct embedded_machine embedded_machines" -DCOUNT=embedded_machine_count -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${machine_files} "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding machines"
    VERBATIM)
