# Forms of texture and surface instructions that C++ hardly has: in both modes, built by clang and by nvcc, on warps of both widths, under
# protocols and divergence models, with checks, several threads, every cycle stepped, and from checkpoints.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
right_by_both texture_forms
memory=${LOCKSTEP_SET:+--set $LOCKSTEP_SET}
same() {
    timeout 300 "$LOCKSTEP" run $memory "$@" "$work/texture_forms" >"$work/out" 2>"$work/err" || fail "$* ended with $?: $(tail -n 3 "$work/err")"
    [ "$(head -n 1 "$work/out")" = "no error, 0 wrong" ] || fail "$* gave other values: $(head -n 3 "$work/out")"
    awk 'table { NF -= 2; print } /^kernel/ { table = 1 }' "$work/out" >"$work/cycles"
}
same
cp "$work/cycles" "$work/base"
for way in --no-skip '--threads 2'; do
    same $way
    diff -u "$work/base" "$work/cycles" || fail "$way gave other cycles"
done
same --check race,mem,init,sync
for set in sm.values_at_issue=true sm.warp_size=64 sm.divergence=its sm.divergence=dwf coherence.protocol=vi coherence.protocol=denovo-b coherence.protocol=msi; do
    same --set $set
done
same --machine h100
timeout 300 "$LOCKSTEP" run $memory --checkpoint-every 1501 --checkpoint "$work/at%c" "$work/texture_forms" >/dev/null
tried=0
for at in "$work"/at*; do
    tried=$((tried + 1))
    [ $((tried % 3)) = 1 ] || continue
    timeout 300 "$LOCKSTEP" run --resume "$at" "$work/texture_forms" >"$work/out" 2>"$work/err" || fail "resumed at $at: $(tail -n 3 "$work/err")"
    awk 'table { NF -= 2; print } /^kernel/ { table = 1 }' "$work/out" | diff -u "$work/base" - || fail "resumed at $at: other cycles"
done
[ $tried -gt 3 ] || fail "$tried checkpoints"
