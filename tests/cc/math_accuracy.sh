#!/bin/bash
# The error of every mathematical function against MPFR stays below its stated bound: at 500 places spread over its arguments, 4000 with
# LOCKSTEP_LONG, besides those where methods switch.
. "$(dirname "$0")/_common.sh"
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null || { echo "skipped: no C++ compiler"; exit 77; }
echo '#include <mpfr.h>' | "$cxx" -x c++ -E - >/dev/null 2>&1 || { echo "skipped: MPFR is not installed"; exit 77; }
"$cxx" -std=c++17 -O1 -ffp-contract=off -Wall -Wextra -Werror "$here/math_accuracy.cpp" -o "$work/accuracy" \
    -lmpfr -lgmp || exit 1
samples=500
[ -z "${LOCKSTEP_LONG:-}" ] || samples=4000
"$work/accuracy" "$samples" || fail "a function is less accurate than stated"
finish
