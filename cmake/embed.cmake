# cmake -DFILES=a.yaml|b.yaml -DHEADER=room/x.h -DOUTPUT=x.c -DARRAY="const struct x xs" -DCOUNT=x_count -P embed.cmake
# Writes the named text files as string literals, one {name, text} row each, sorted by name, with an empty last row; with
# -DSTRING=x in the place of ARRAY and COUNT, the only file as one string.
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

if(STRING)
    set(definition "const char ${STRING}[] =\n     \"${text}\";\n")
else()
    set(definition "${ARRAY}[] = {\n${rows}    {0, 0},\n};\nconst unsigned ${COUNT} = ${count};\n")
endif()
file(WRITE "${OUTPUT}" "/* Written by cmake/embed.cmake: edit the files that it was made from. */
#include \"${HEADER}\"

${definition}")
