#!/bin/bash
# Every program under programs/ compiles with `lockstep cc`; NVIDIA's assembler accepts the PTX and nvcc the source,
# where they are installed; nvcc, and the program of several files (cc.driver builds it), with LOCKSTEP_LONG.
. "$(dirname "$0")/_common.sh"
need_clang
ptxas=$(nvidia_tool ptxas)
nvcc=$(nvidia_tool nvcc)
[ -n "${LOCKSTEP_LONG:-}" ] || nvcc= # it is slow, and says of these programs what it said before
compiled=0 assembled=0 by_nvcc=0

for source in "$here"/programs/*.cu ${LOCKSTEP_LONG:+"$here"/programs/multi/*.cu}; do
    name=$(basename "$source" .cu)
    if ! "$LOCKSTEP" cc -Wall -c "$source" -o "$work/$name.o" --keep-ptx "$work/$name.ptx" >"$work/log" 2>&1; then
        fail "$name does not compile" && cat "$work/log"
        continue
    fi
    [ -s "$work/log" ] && fail "$name compiles with messages" && cat "$work/log"
    compiled=$((compiled + 1))
    if [ -n "$ptxas" ]; then
        "$ptxas" -O0 -arch=sm_80 "$work/$name.ptx" -o /dev/null 2>"$work/log" ||
            { fail "ptxas refuses $name" && head -5 "$work/log"; }
        assembled=$((assembled + 1))
    fi
    if [ -n "$nvcc" ]; then
        "$nvcc" -w -std=c++17 -gencode arch=compute_75,code=compute_75 --expt-relaxed-constexpr -c "$source" \
            -o "$work/nvcc.o" >"$work/log" 2>&1 || { fail "nvcc refuses $name" && head -5 "$work/log"; }
        by_nvcc=$((by_nvcc + 1))
    fi
done
echo "$compiled programs compiled; ptxas assembled $assembled; nvcc compiled $by_nvcc (0: not installed, skipped)"
finish
