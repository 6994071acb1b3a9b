#!/bin/bash
# The error of every mathematical function against MPFR stays below its stated bound.
. "$(dirname "$0")/_common.sh"
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null || { echo "skipped: no C++ compiler"; exit 77; }
echo '#include <mpfr.h>' | "$cxx" -x c++ -E - >/dev/null 2>&1 || { echo "skipped: MPFR is not installed"; exit 77; }
"$cxx" -std=c++17 -O2 -ffp-contract=off -Wall -Wextra -Werror "$here/math_accuracy.cpp" -o "$work/accuracy" \
    -lmpfr -lgmp || exit 1
"$work/accuracy" || fail "a function is less accurate than stated"
finish
