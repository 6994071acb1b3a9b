#!/bin/bash
# Random functions of integers, bit fields, conversions, unions and vectors, full of shifts and rotates, give the same
# values on the simulated device as on the host, compiled by `lockstep cc` as it does by default, by its --fast, and, with
# LOCKSTEP_LONG, by nvcc where that is installed. EXPRESSIONS=N tries N functions instead of 30 (with LOCKSTEP_LONG 100) in each way, EXPRESSIONS_SEED=S others.
. "$(dirname "$0")/_common.sh"
need_random_programs
"$cc" -O1 -Wall "$here/programs/expressions/make.c" -o "$work/make" || exit 1
count=30
[ -z "${LOCKSTEP_LONG:-}" ] || count=100
compare_random expressions "${EXPRESSIONS:-$count}" "${EXPRESSIONS_SEED:-1}"
finish
