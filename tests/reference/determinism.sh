#!/usr/bin/env bash
# Two runs of the same thing give the same JSON, byte for byte, but for `host`: under contention, in both modes, and from a cold and
# a busy machine alike.
set -euo pipefail
cd "$LOCKSTEP_SRC/tests/reference"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Members of "host" objects are dropped; they stand alone between their braces.
without_host() {
    awk '/"host": \{/ { inside = 1 } !inside { print } inside && /\}/ { inside = 0 }' "$1"
}

for case in ht1024 reduce bfs; do
    for mode in timing functional; do
        for run in 1 2; do
            "$LOCKSTEP" run --quiet --mode "$mode" --stats "$folder/$run.json" "$case.yaml"
            without_host "$folder/$run.json" >"$folder/$run.txt"
        done
        cmp "$folder/1.txt" "$folder/2.txt"
        grep -q '"cycles"' "$folder/1.txt"
        if grep -q seconds "$folder/1.txt"; then echo "host figures outside host"; exit 1; fi
    done
done
