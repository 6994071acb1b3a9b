# What leaves the runtime libraries: CUDA's names alone, under the version that programs ask for.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
for major in 12 13; do
    nm -D --defined-only "$LOCKSTEP_BUILD/lib/lockstep/libcudart.so.$major" | sed 's/.* [A-Za-z] //' | sort -u >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 300 ] || fail "libcudart.so.$major: too few exports"
    grep -v "^_*cuda.*@@libcudart.so.$major\$" "$work/names" | grep -v "^libcudart.so.$major@*" && fail "something else leaves libcudart.so.$major"
done
exit 0
