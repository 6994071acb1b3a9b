# Atomics of 128 bits and of vectors: alone on machines without clusters, and in blocks of a cluster; in both modes, under other schedulers,
# protocols, divergence models and threads, and with every cycle stepped.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
for version in 19 18 17 16; do
    ! command -v clang-$version >/dev/null || break
done
by_clang=$(command -v clang-$version || true)
machine() {
    export LOCKSTEP_SET="${LOCKSTEP_PRELOAD:+gpu.memory_base=268435456
}$1"
}
try() {
    LOCKSTEP_MACHINE=h100
    export LOCKSTEP_MACHINE
    machine gpu.sms=8
    right_in_both_modes wide_atomics "$1"
    LOCKSTEP_THREADS=2 LOCKSTEP_NO_SKIP=1 right_in_both_modes wide_atomics "$1, every cycle stepped"
    for setting in sm.divergence=its sm.scheduler=gto sm.atomics_joined=all coherence.protocol=denovo-b; do
        machine "gpu.sms=8
$setting"
        right_in_both_modes wide_atomics "$1, $setting"
    done
    unset LOCKSTEP_MACHINE LOCKSTEP_SET
}
if [ -n "$by_clang" ]; then
    LOCKSTEP_CLANG=$by_clang "$LOCKSTEP" cc -arch=sm_90 -DCLUSTERS "$here/wide_atomics.cu" -o "$work/wide_atomics"
    try "lockstep cc"
fi
if [ -n "$nvcc" ]; then
    "$nvcc" -cudart shared -gencode arch=compute_90,code=compute_90 -DCLUSTERS "$here/wide_atomics.cu" -o "$work/wide_atomics"
    try nvcc
fi
"$LOCKSTEP" cc "$here/wide_atomics.cu" -o "$work/wide_atomics"
for setting in gpu.sms=3 sm.values_at_issue=true sm.divergence=aware sm.divergence=dwf coherence.protocol=hlrc coherence.protocol=msi \
    coherence.protocol=lease coherence.protocol=vi; do
    machine "$setting"
    right_in_both_modes wide_atomics "alone, $setting"
done
