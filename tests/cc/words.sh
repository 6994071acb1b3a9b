#!/bin/bash
# Arithmetic on parts of words, atomics on them, and atomics with an order: the same results as on the host.
. "$(dirname "$0")/_common.sh"
need_clang
[ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] || { echo "skipped: libcudart is not built"; exit 77; }
source=$here/programs/words/main.cu

# runs WAY COMMAND...: the command builds the program, which finds no difference
runs()
{
    local way=$1
    shift
    "$@" "$source" -o "$work/program" >"$work/log" 2>&1 || { fail "$way: it does not compile" && head -20 "$work/log" && return; }
    [ -s "$work/log" ] && fail "$way: it compiles with messages" && head -20 "$work/log"
    "$LOCKSTEP" run --mode functional "$work/program" >"$work/log" 2>&1 || fail "$way: $(head -20 "$work/log")"
    grep -q '^0 failures$' "$work/log" || fail "$way: the comparison did not come to its end"
}
runs cc "$LOCKSTEP" cc -Wall
finish
