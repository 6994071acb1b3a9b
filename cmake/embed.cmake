# cmake -DFILES=a.yaml|b.yaml -DOUTPUT=machines_embedded.c -P embed.cmake
# Writes the named text files as string literals, one {name, text} row each, sorted by name, with an empty last row.
string(REPLACE "|" ";" FILES "${FILES}")
list(SORT FILES)
list(LENGTH FILES count)

set(rows "")
foreach(path IN LISTS FILES)
    get_filename_component(name "${path}" NAME_WLE)
    file(READ "${path}" text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\r" "" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    string(APPEND rows "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "/* Written by cmake/embed.cmake from machines/: edit those files. */
#include \"gpu/machines_embedded.h\"

const struct embedded_machine embedded_machines[] = {
${rows}    {0, 0},
};
const unsigned embedded_machine_count = ${count};
")
