#!/bin/bash
# Random structures of 1 to 64 bytes that functions take and return by value, directly, by recursion and through pointers,
# hold the same on the simulated device as on the host, compiled by `lockstep cc`, by its --fast, and, with LOCKSTEP_LONG, by nvcc where that
# is installed. STRUCTURES=N tries N structures instead of 3 (with LOCKSTEP_LONG 8) in each way, STRUCTURES_SEED=S others.
. "$(dirname "$0")/_common.sh"
need_random_programs
"$cc" -O1 -Wall "$here/programs/structures/make.c" -o "$work/make" || exit 1
count=3
[ -z "${LOCKSTEP_LONG:-}" ] || count=8
compare_random structures "${STRUCTURES:-$count}" "${STRUCTURES_SEED:-1}"
finish
