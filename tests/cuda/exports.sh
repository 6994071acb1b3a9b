# Every entry point of NVIDIA's runtime library of the same version, where one is installed, can be imported from ours.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
names() {
    nm -D --defined-only "$1" | sed -n 's/.* [TWi] \([A-Za-z0-9_]*\)@@*\(libcudart.so.[0-9]*\)$/\1@\2/p' | sort -u
}
names "$LOCKSTEP_BUILD/lib/libcudart.so.13" >"$work/ours"
[ "$(wc -l <"$work/ours")" -gt 300 ] || fail "too few exports"
grep -v '^_*cuda' "$work/ours" && fail "something else is exported"
names "$LOCKSTEP_BUILD/lib/libcudart.so.12" | grep -q '^cudaMalloc@libcudart.so.12$' || fail "libcudart.so.12"
theirs=$([ -z "$nvcc" ] || echo "$(dirname "$(dirname "$nvcc")")/lib64/libcudart.so.13")
[ -n "$theirs" ] && [ -e "$theirs" ] || { echo "skipped: no libcudart.so.13 of NVIDIA's"; exit 0; }
names "$theirs" | comm -23 - "$work/ours" >"$work/missing"
[ -s "$work/missing" ] && fail "not exported: $(cat "$work/missing")"
exit 0
