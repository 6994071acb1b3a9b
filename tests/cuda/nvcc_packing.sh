# Every way in which nvcc packs PTX, and its other launch interfaces.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
ways=(--compress-mode=size)
[ -z "${LOCKSTEP_LONG:-}" ] || ways+=("--compress-mode=none --default-stream=per-thread" "--compress-mode=speed -lineinfo")
for options in "${ways[@]}"; do
    echo "$options"
    # shellcheck disable=SC2086 # words
    check_output files $options "$here/files_a.cu" "$here/files_b.cu"
done
echo "machine code beside PTX"
"$nvcc" -cudart shared -arch=sm_80 "$here/files_a.cu" "$here/files_b.cu" -o "$work/packed"
on_simulator "$work/packed" | diff -u "$here/files.expected" - || fail "machine code beside PTX"
echo "machine code alone"
"$nvcc" -cudart shared -gencode arch=compute_80,code=sm_80 "$here/files_a.cu" "$here/files_b.cu" -o "$work/packed"
on_simulator "$work/packed" >"$work/out" 2>"$work/err" || fail "machine code alone: status $?"
grep -q 'sm_80' "$work/err" || fail "machine code alone is not explained: $(cat "$work/err")"
echo "device code linked across files"
"$nvcc" -rdc=true -cudart shared -gencode arch=compute_75,code=compute_75 "$here/files_a.cu" "$here/files_b.cu" -o "$work/packed"
on_simulator "$work/packed" >"$work/out" 2>"$work/err" || fail "-rdc=true: status $?"
grep -q 'rdc=true' "$work/err" || fail "-rdc=true is not explained: $(cat "$work/err")"
