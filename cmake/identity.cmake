# The identity of the simulator: one number for every source that can change a result, the compiler and its flags. Equal clones
# have equal identities wherever they lie; results of a study belong to one (src/cli/identity.h).
#
#     include(identity)                                              in CMakeLists.txt: LOCKSTEP_IDENTITY is the file to compile
#     cmake -DSOURCE=... -DFILES=... -DFLAGS=... -DOUTPUT=... -P identity.cmake      what the build runs
if(CMAKE_SCRIPT_MODE_FILE)
    file(STRINGS "${FILES}" names)
    file(READ "${FLAGS}" text)
    foreach(name IN LISTS names)
        file(SHA256 "${SOURCE}/${name}" sum)
        string(APPEND text "${name} ${sum}\n")
    endforeach()
    string(SHA256 identity "${text}")
    string(SUBSTRING "${identity}" 0 32 identity)
    file(WRITE "${OUTPUT}" "/* Written by cmake/identity.cmake. */
#include \"cli/identity.h\"

const char cli_identity[] = \"${identity}\";
")
    return()
endif()

file(GLOB_RECURSE identity_files CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/src/*"
    "${CMAKE_SOURCE_DIR}/include/*" "${CMAKE_SOURCE_DIR}/machines/*.yaml")
# What asks, lists or draws runs nothing itself but by `lockstep run`: tests/cli/identity.sh holds that against the objects.
list(FILTER identity_files EXCLUDE REGEX "^src/report/|^src/check/|^src/cli/study/|^src/cli/hardware/|^src/cli/tune/|^src/cli/check_options")
list(FILTER identity_files EXCLUDE REGEX
    "^src/cli/(main|commands|help|manual|completion|check|compare|compare_results|samples|disasm|docs|fidelity|listing|machines|protocols|report|results|stats|validate|validate_report)\\.[ch]$")
list(APPEND identity_files cmake/flags.cmake cmake/rooms.cmake)
list(SORT identity_files)
list(JOIN identity_files "\n" identity_list)
string(TOUPPER "${CMAKE_BUILD_TYPE}" identity_type)
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/identity_files.txt" CONTENT "${identity_list}\n" @ONLY)
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/identity_flags.txt" @ONLY CONTENT
    "${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}\n${CMAKE_C_FLAGS}\n${CMAKE_C_FLAGS_${identity_type}}\n")

set(LOCKSTEP_IDENTITY "${CMAKE_BINARY_DIR}/generated/identity.c")
list(TRANSFORM identity_files PREPEND "${CMAKE_SOURCE_DIR}/")
add_custom_command(
    OUTPUT "${LOCKSTEP_IDENTITY}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DFILES=${CMAKE_BINARY_DIR}/generated/identity_files.txt"
            "-DFLAGS=${CMAKE_BINARY_DIR}/generated/identity_flags.txt" "-DOUTPUT=${LOCKSTEP_IDENTITY}"
            -P "${CMAKE_SOURCE_DIR}/cmake/identity.cmake"
    DEPENDS ${identity_files} "${CMAKE_BINARY_DIR}/generated/identity_files.txt"
            "${CMAKE_BINARY_DIR}/generated/identity_flags.txt" "${CMAKE_SOURCE_DIR}/cmake/identity.cmake"
    COMMENT "Identity of the simulator"
    VERBATIM)
