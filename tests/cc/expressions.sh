#!/bin/bash
# Random integer functions, full of shifts, rotates and funnel shifts, give the same values on the simulated device as on
# the host, compiled by `lockstep cc` as it does by default, by its --fast, and by nvcc where that is installed.
# EXPRESSIONS=N tries N functions instead of 200 in each way, EXPRESSIONS_SEED=S others.
. "$(dirname "$0")/_common.sh"
need_clang
[ -e "$(dirname "$LOCKSTEP")/../lib/libcudart.so.13" ] || { echo "skipped: libcudart is not built"; exit 77; }
programs=$here/programs/expressions
count=${EXPRESSIONS:-200} seed=${EXPRESSIONS_SEED:-1}
nvcc=$(nvidia_tool nvcc)
[ -n "${LOCKSTEP_NO_NVCC:-}" ] && nvcc=
cc=$(command -v gcc || command -v clang || command -v cc) || exit 77
"$cc" -O1 -Wall "$programs/make.c" -o "$work/make" || exit 1

# differ WAY COMMAND...: the command makes $work/program of $work/program.cu
differ()
{
    local way=$1
    shift
    "$work/make" "$count" "$seed" >"$work/program.cu"
    seed=$((seed + 1))
    rm -f "$work/program"
    "$@" -I "$programs" "$work/program.cu" -o "$work/program" >"$work/log" 2>&1 ||
        { fail "$way: the functions do not compile" && head -20 "$work/log" && return; }
    "$LOCKSTEP" run --mode functional "$work/program" >"$work/log" 2>&1 || fail "$way: device and host differ"
    grep '^f[0-9]' "$work/log" | head -5
    grep -q 'functions differ$' "$work/log" || fail "$way: the comparison did not come to its end"
}
differ "cc" "$LOCKSTEP" cc -O0
differ "cc --fast" "$LOCKSTEP" cc --fast -O0
if [ -n "$nvcc" ]; then
    differ nvcc "$nvcc" -w -O0 -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75
else
    echo "1 comparison skipped: nvcc is not installed"
fi
finish
