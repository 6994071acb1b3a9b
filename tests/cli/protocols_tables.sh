#!/usr/bin/env bash
# The printed tables of a coherence protocol have a line for each row that it has, as the simulator counts them for itself: no state
# and event twice, and each event and action explained below. Those set down in braces are counted in the sources, too.
. "$(dirname "$0")/_lib.sh"
sources=$LOCKSTEP_SRC/src/memory/coherence
# rows FILE: in braces, with an event in the second place.
rows() {
    grep -oE '\{[A-Z]+, L[12]_[A-Z_]+_EVENT, ' "$1" | wc -l
}
# printed SIDE FILE: the lines of a side's table, between its heading and an empty line.
printed() {
    awk -v side="$1" '/^$/ { inside = 0 } inside { print } $1 == side && $2 == "state" { inside = 1 }' "$2"
}
# words SIDE WHAT FILE: the first words of the lines of a list.
words() {
    awk -v heading="$1: $2" '/^$/ { inside = 0 } inside { print $1 } $0 == heading { inside = 1 }' "$3"
}
names=$(sed -n 's/^PROTOCOL(\(.*\))$/\1/p' "$sources/list.def" | tr _ -)
[ "$(wc -w <<<"$names")" -ge 2 ] || wrong "protocols: $names"
[ "$("$LOCKSTEP" protocols | awk '{ print $1 }')" = "$names" ] || wrong "the list is not: $names"
for name in $names; do
    file=$sources/${name//-/_}.c
    "$LOCKSTEP" protocols "$name" >"$folder/$name.txt" || wrong "protocols $name"
    l2=$(sed -n 's/.*\.l2 = &coherence_\([a-z]*\).*/\1/p' "$file")
    [ "$(rows "$file")" -eq 0 ] || [ "$(rows "$file")" = "$(printed L1 "$folder/$name.txt" | wc -l)" ] ||
        wrong "$name: $(rows "$file") rows of the L1, $(printed L1 "$folder/$name.txt" | wc -l) printed"
    [ "$(rows "$sources/$l2.c")" -ge 8 ] && [ "$(rows "$sources/$l2.c")" = "$(printed L2 "$folder/$name.txt" | wc -l)" ] ||
        wrong "$name: $(rows "$sources/$l2.c") rows of the L2, $(printed L2 "$folder/$name.txt" | wc -l) printed"
    [ "$(printed L1 "$folder/$name.txt" | wc -l)" -ge 7 ] || wrong "$name: an L1 without a table"
    [ "$(words L1 states "$folder/$name.txt" | wc -l)" -ge 4 ] || wrong "$name: states that are not explained"
done
expect 0 "directory" protocols hlrc
expect 0 "lock, flush, drop, access" protocols rsp
expect 2 "bypass" protocols bypas
finish
