# Products of matrices by four warps (wgmma), whose operands lie in shared memory.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/warpgroups" "$here/warpgroups.cu"
right_in_both_modes warpgroups cc
for machine in h100 gtx480; do
    LOCKSTEP_MACHINE=$machine right_in_both_modes warpgroups "cc, $machine"
done
[ -n "$nvcc" ] || exit 0
"$nvcc" -cudart shared -gencode arch=compute_90a,code=compute_90a "$here/warpgroups.cu" -o "$work/warpgroups"
right_in_both_modes warpgroups nvcc
