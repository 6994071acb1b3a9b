# Clusters of blocks in a program, built by lockstep cc, and by nvcc where it is installed.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
export LOCKSTEP_MACHINE=h100
for version in 19 18 17 16; do
    ! command -v clang-$version >/dev/null || break
done
if ! command -v clang-$version >/dev/null; then
    echo "skipped: no clang that knows sm_90"
    exit 77
fi
LOCKSTEP_CLANG=clang-$version "$LOCKSTEP" cc -arch=sm_90 "$here/clusters.cu" -o "$work/clusters"
check_output clusters
LOCKSTEP_MODE=timing check_output clusters
LOCKSTEP_MODE=timing LOCKSTEP_THREADS=3 check_output clusters
LOCKSTEP_MACHINE=gtx1080ti on_simulator "$work/clusters" >"$work/out" 2>&1 || true
grep -q 'clusters 0' "$work/out" || fail "without clusters: $(cat "$work/out")"
[ -n "$nvcc" ] || exit 0
"$nvcc" -cudart shared -gencode arch=compute_90,code=compute_90 "$here/clusters.cu" -o "$work/clusters"
check_output clusters
