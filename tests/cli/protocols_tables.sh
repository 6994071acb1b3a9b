#!/usr/bin/env bash
# The printed tables of a coherence protocol have a line for each row of the protocol's sources: its own of the L1, and those of the
# L2 that it names.
. "$(dirname "$0")/_lib.sh"
sources=$LOCKSTEP_SRC/src/memory/coherence
# rows FILE: in braces, with an event in the second place.
rows() {
    grep -oE '\{[A-Z]+, L[12]_[A-Z_]+_EVENT, ' "$1" | wc -l
}
# printed SIDE FILE: lines of a side's table, between its heading and an empty line.
printed() {
    awk -v side="$1" '/^$/ { inside = 0 } inside { n++ } $1 == side && $2 == "state" { inside = 1 } END { print n + 0 }' "$2"
}
names=$(sed -n 's/^PROTOCOL(\(.*\))$/\1/p' "$sources/list.def")
[ "$(wc -w <<<"$names")" -ge 2 ] || wrong "protocols: $names"
[ "$("$LOCKSTEP" protocols | awk '{ print $1 }')" = "$names" ] || wrong "the list is not: $names"
for name in $names; do
    "$LOCKSTEP" protocols "$name" >"$folder/$name.txt" || wrong "protocols $name"
    l2=$(sed -n 's/.*\.l2 = &coherence_\([a-z]*\).*/\1/p' "$sources/$name.c")
    [ "$(rows "$sources/$name.c")" -ge 7 ] && [ "$(rows "$sources/$name.c")" = "$(printed L1 "$folder/$name.txt")" ] ||
        wrong "$name: $(rows "$sources/$name.c") rows of the L1, $(printed L1 "$folder/$name.txt") printed"
    [ "$(rows "$sources/$l2.c")" -ge 8 ] && [ "$(rows "$sources/$l2.c")" = "$(printed L2 "$folder/$name.txt")" ] ||
        wrong "$name: $(rows "$sources/$l2.c") rows of the L2, $(printed L2 "$folder/$name.txt") printed"
done
expect 2 "bypass" protocols bypas
finish
