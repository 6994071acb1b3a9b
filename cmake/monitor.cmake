# lib/lockstep/lockstep-monitor.so, the server of `lockstep run --monitor`, which alone needs libmicrohttpd: a run that nobody watches does not
# load it, nor what that brings with it (TLS), which would double the time that a lockstep takes to start.
if(NOT MICROHTTPD_FOUND OR NOT TARGET lockstep)
    return()
endif()

# src/cli/monitor/page.html becomes the string of src/cli/monitor/page_embedded.h.
add_custom_command(
    OUTPUT "${CMAKE_BINARY_DIR}/generated/monitor_page.c"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${CMAKE_SOURCE_DIR}/src/cli/monitor/page.html"
            "-DOUTPUT=${CMAKE_BINARY_DIR}/generated/monitor_page.c" -DHEADER=cli/monitor/page_embedded.h
            -DSTRING=monitor_page -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS "${CMAKE_SOURCE_DIR}/src/cli/monitor/page.html" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding the monitor's page"
    VERBATIM)
add_library(lockstep_monitor MODULE src/cli/monitor/server.c "${CMAKE_BINARY_DIR}/generated/monitor_page.c")
set_target_properties(lockstep_monitor PROPERTIES PREFIX "" OUTPUT_NAME lockstep-monitor
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/lockstep")
target_link_libraries(lockstep_monitor PRIVATE ls_monitor PkgConfig::MICROHTTPD)
target_link_options(lockstep_monitor PRIVATE -Wl,--exclude-libs,ALL)
add_dependencies(lockstep lockstep_monitor)
