# src/report/chart.js becomes the string of src/report/chart_embedded.h, which goes into pages.
add_custom_command(
    OUTPUT "${CMAKE_BINARY_DIR}/generated/chart_embedded.c"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${CMAKE_SOURCE_DIR}/src/report/chart.js"
            "-DOUTPUT=${CMAKE_BINARY_DIR}/generated/chart_embedded.c" -DHEADER=report/chart_embedded.h
            -DSTRING=chart_script -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS "${CMAKE_SOURCE_DIR}/src/report/chart.js" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding the script of charts"
    VERBATIM)
target_sources(ls_report_objects PRIVATE "${CMAKE_BINARY_DIR}/generated/chart_embedded.c")
