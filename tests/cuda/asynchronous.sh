# mbarriers and copies that go on beside their warps: of sm_80, of sm_90 and, on a machine that has them, between the blocks of a
# cluster; built by lockstep cc and by nvcc, in both modes, and under other schedulers, divergence models, threads and steps.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
right_by_both mbarriers
set_also() {
    if [ -n "${LOCKSTEP_SET:-}" ]; then
        printf '%s\n%s' "$LOCKSTEP_SET" "$1"
    else
        printf '%s' "$1"
    fi
}
for settings in sm.divergence=its sm.divergence=aware sm.scheduler=lrr sm.values_at_issue=true coherence.protocol=hlrc; do
    LOCKSTEP_SET=$(set_also "$settings") right_in_both_modes mbarriers "$settings"
done
for version in 19 18 17 16; do
    ! command -v clang-$version >/dev/null || break
done
by_clang=$(command -v clang-$version || true)
try() {
    for machine in $2; do
        LOCKSTEP_MACHINE=$machine right_in_both_modes "$1" "$3, $machine"
        LOCKSTEP_MACHINE=$machine LOCKSTEP_THREADS=2 LOCKSTEP_NO_SKIP=1 \
            right_in_both_modes "$1" "$3, $machine, every cycle stepped"
    done
}
both() {
    target=${3:-90}
    if [ -n "$by_clang" ]; then
        LOCKSTEP_CLANG=$by_clang "$LOCKSTEP" cc -arch=sm_$target "$here/$1.cu" -o "$work/$1"
        try "$1" "$2" "lockstep cc"
    fi
    [ -n "$nvcc" ] || return 0
    "$nvcc" -cudart shared -gencode arch=compute_$target,code=compute_$target "$here/$1.cu" -o "$work/$1" 2>"$work/said" ||
        fail "$(cat "$work/said")"
    try "$1" "$2" nvcc
}
both bulk_copies "h100 gtx480"
both tensor_maps "h100 gtx480"
both cluster_sends h100
both tensor_replace "h100 gtx480" 90a
# A map that no copy can take is told where it is taken.
if [ -n "$nvcc" ]; then
    "$nvcc" -DMISTAKE -cudart shared -gencode arch=compute_90a,code=compute_90a "$here/tensor_replace.cu" -o "$work/tensor_replace"
    for mode in functional timing; do
        ! LOCKSTEP_MODE=$mode LOCKSTEP_MACHINE=h100 on_simulator "$work/tensor_replace" >"$work/out" 2>&1 || fail "a map of every second element, $mode"
        grep -q 'error: kernel take: the tensor map takes one element of 2, which is not supported' "$work/out" || fail "$(cat "$work/out")"
    done
fi
