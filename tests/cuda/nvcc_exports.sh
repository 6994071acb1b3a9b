# Every entry point of NVIDIA's runtime library of the same version can be imported from ours.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
theirs=$(dirname "$(dirname "$nvcc")")/lib64/libcudart.so.13
[ -e "$theirs" ] || { echo "skipped: no $theirs"; exit 77; }
names() {
    nm -D --defined-only "$1" | sed -n 's/.* [A-Za-z] \(_*cuda[A-Za-z0-9_]*@@libcudart.so.13\)$/\1/p' | sort -u
}
names "$LOCKSTEP_BUILD/lib/lockstep/libcudart.so.13" >"$work/ours"
names "$theirs" >"$work/theirs"
[ "$(wc -l <"$work/theirs")" -gt 300 ] || fail "nothing to compare with"
comm -23 "$work/theirs" "$work/ours" >"$work/missing"
[ ! -s "$work/missing" ] || fail "not exported: $(cat "$work/missing")"
