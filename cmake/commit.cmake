# The commit of the sources, for pages that say of which one their results are (src/cli/commit.h). It is no part of the identity.
#
#     include(commit)                                       in CMakeLists.txt: LOCKSTEP_COMMIT is the file to compile
#     cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake       what every build runs; the file is touched when the commit is another one
if(CMAKE_SCRIPT_MODE_FILE)
    execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE commit ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND git -C "${SOURCE}" status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(NOT commit)
        set(commit unknown)
    elseif(changes)
        string(APPEND commit " with changes")
    endif()
    set(text "/* Written by cmake/commit.cmake. */
#include \"cli/commit.h\"

const char cli_commit[] = \"${commit}\";
")
    set(former)
    if(EXISTS "${OUTPUT}")
        file(READ "${OUTPUT}" former)
    endif()
    if(NOT "${former}" STREQUAL "${text}")
        file(WRITE "${OUTPUT}" "${text}")
    endif()
    return()
endif()

set(LOCKSTEP_COMMIT "${CMAKE_BINARY_DIR}/generated/commit.c")
add_custom_target(commit
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DOUTPUT=${LOCKSTEP_COMMIT}" -P "${CMAKE_SOURCE_DIR}/cmake/commit.cmake"
    BYPRODUCTS "${LOCKSTEP_COMMIT}"
    COMMENT "Commit of the sources"
    VERBATIM)
