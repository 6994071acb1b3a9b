# Manual pages and completions for shells, which `lockstep docs` makes of the tables of commands and options: they are in step with the
# program that they describe, whatever it was built of.
set(LOCKSTEP_MANUALS "${CMAKE_BINARY_DIR}/manuals")
file(MAKE_DIRECTORY "${LOCKSTEP_MANUALS}/man1" "${LOCKSTEP_MANUALS}/completions")
add_custom_command(
    OUTPUT "${LOCKSTEP_MANUALS}/made"
    COMMAND "$<TARGET_FILE:lockstep>" docs --man "${LOCKSTEP_MANUALS}/man1"
    COMMAND "$<TARGET_FILE:lockstep>" docs --completion "${LOCKSTEP_MANUALS}/completions"
    COMMAND "${CMAKE_COMMAND}" -E touch "${LOCKSTEP_MANUALS}/made"
    DEPENDS lockstep
    COMMENT "Manual pages and completions"
    VERBATIM)
add_custom_target(manuals ALL DEPENDS "${LOCKSTEP_MANUALS}/made")
