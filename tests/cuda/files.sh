# Two files with kernels and variables of the same name; and every way in which nvcc packs PTX.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
same_in_both_builds files "$here/files_a.cu" "$here/files_b.cu"
[ -n "$nvcc" ] || exit 0
for mode in default size speed balance none; do
    with_nvcc "$work/packed" "--compress-mode=$mode" "$here/files_a.cu" "$here/files_b.cu"
    on_simulator "$work/packed" | diff -u "$here/files.expected" - || fail "--compress-mode=$mode"
done
with_nvcc "$work/packed" --default-stream per-thread "$here/files_a.cu" "$here/files_b.cu"
on_simulator "$work/packed" | diff -u "$here/files.expected" - || fail "--default-stream per-thread"
"$nvcc" -cudart shared -arch=sm_80 "$here/files_a.cu" "$here/files_b.cu" -o "$work/packed"
on_simulator "$work/packed" | diff -u "$here/files.expected" - || fail "machine code beside PTX"
