#!/usr/bin/env bash
# The page of examples/protocol, word for word, in a copy of the folders that it names. Of its lines the one that builds is left out
# but with LOCKSTEP_LONG: by default the program is the one that CMake has linked from the same file and the same row of the list.
. "$(dirname "$0")/_lib.sh"
tree=$folder/tree
page=$tree/examples/protocol/README.md
build='cmake --preset release && cmake --build build/release --target lockstep'
mkdir -p "$tree"
if [ -n "${LOCKSTEP_LONG:-}" ]; then
    (cd "$LOCKSTEP_SRC" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$tree" || exit 1
else
    mkdir -p "$tree/src/memory" "$tree/build/release/bin"
    cp -r "$LOCKSTEP_SRC/examples" "$tree/" && cp -r "$LOCKSTEP_SRC/src/memory/coherence" "$tree/src/memory/" || exit 1
    ln -s "$LOCKSTEP_SRC/tests" "$tree/tests"
    ln -s "$LOCKSTEP_BUILD/share" "$LOCKSTEP_BUILD/lib" "$tree/build/release/"
    cp "$LOCKSTEP_BUILD/tests/lockstep_with_example" "$tree/build/release/bin/lockstep" || exit 1
fi
sed -n 's/^    \([a-z].*\)$/\1/p' "$page" >"$folder/commands"
[ "$(wc -l <"$folder/commands")" -eq 11 ] || wrong "the page has other commands"
grep -qFx "$build" "$folder/commands" || wrong "the page does not build"
[ -n "${LOCKSTEP_LONG:-}" ] || sed -i '/^cmake /d' "$folder/commands"
sed -i 's/$/ || exit 1/' "$folder/commands"
(cd "$tree" && bash "$folder/commands") >"$folder/out" 2>&1 || { wrong "the page's commands"; tail -n 40 "$folder/out"; }
grep -q '^mine .* turn .* proved' "$folder/out" || wrong "check proves nothing"
grep -q 'copy; send' "$folder/out" || wrong "the table does not say what a store does"
grep -q '^PASS' "$folder/out" || wrong "no run has passed"
cmp -s "$tree/examples/protocol/mine.c" "$tree/src/memory/coherence/mine.c" || wrong "the file is not in its place"
[ "$(tail -n 1 "$tree/src/memory/coherence/list.def")" = "PROTOCOL(mine)" ] || wrong "the list has no such row"
# What it says is wrong is found: a line that an acquire keeps, and a row that contradicts its action.
LOCKSTEP=$LOCKSTEP_BUILD/tests/lockstep_with_example
expect 1 "reads 0 of line 1 [1], where 1 was written" check stale --program turn --accesses 4
expect 1 "contradicts, L1, row 1: a next state other than what an action makes of the line" check contradicts
# Rows of the page's text are rows of the table, or are said to be wrong there.
grep -qF 'ROW(V, STORE, V, COPY, SEND),' "$tree/examples/protocol/mine.c" || wrong "the page shows another row"
finish
