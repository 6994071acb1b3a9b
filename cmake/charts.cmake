# src/report/chart.js and timeline.js become the strings of src/report/chart_embedded.h, which go into pages.
foreach(script chart timeline)
    add_custom_command(
        OUTPUT "${CMAKE_BINARY_DIR}/generated/${script}_embedded.c"
        COMMAND "${CMAKE_COMMAND}" "-DFILES=${CMAKE_SOURCE_DIR}/src/report/${script}.js"
                "-DOUTPUT=${CMAKE_BINARY_DIR}/generated/${script}_embedded.c" -DHEADER=report/chart_embedded.h
                -DSTRING=${script}_script -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
        DEPENDS "${CMAKE_SOURCE_DIR}/src/report/${script}.js" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
        COMMENT "Embedding the script of ${script}s"
        VERBATIM)
    target_sources(ls_report_objects PRIVATE "${CMAKE_BINARY_DIR}/generated/${script}_embedded.c")
endforeach()
