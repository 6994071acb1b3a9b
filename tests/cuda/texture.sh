# Textures and surfaces: values in both modes, on warps of both widths, under coherence protocols, with checks, over checkpoints
# and with several threads; and what is said of wrong ones.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output texture "$here/texture.cu"
run() {
    timeout 300 "$LOCKSTEP" run "$@" >"$work/out" 2>"$work/err" || fail "$* ended with $?: $(tail -n 3 "$work/err")"
}
memory=${LOCKSTEP_SET:+--set $LOCKSTEP_SET}
same() {
    run $memory "$@" "$work/texture"
    sed '/^$/,$d' "$work/out" | diff -u "$here/texture.expected" - || fail "$* gave other values"
    # Host speed is the last column.
    awk 'table { NF -= 2; print } /^kernel/ { table = 1 }' "$work/out" >"$work/cycles"
}
same
cp "$work/cycles" "$work/base"
[ "$(wc -l <"$work/base")" -ge 9 ] || fail "no table: $(cat "$work/out")"
for way in --no-skip '--threads 2'; do
    same $way
    diff -u "$work/base" "$work/cycles" || fail "$way gave other cycles"
done
same --check race,mem,init,sync
grep -q race "$work/err" && fail "a race was seen: $(cat "$work/err")"
for set in sm.values_at_issue=true sm.warp_size=64 coherence.protocol=vi coherence.protocol=denovo-b coherence.protocol=lease l1d.sets=4; do
    same --set $set
done
same --machine gtx1080ti
# More lanes and texels than the unit has room for at once.
same --set sm.warp_size=64 --set sm.coalescing=arch20

# Checkpoints within reads of textures.
run $memory --checkpoint-every 3001 --checkpoint "$work/at%c" "$work/texture"
tried=0
for at in "$work"/at*; do
    tried=$((tried + 1))
    [ $((tried % 3)) = 1 ] || continue
    timeout 300 "$LOCKSTEP" run --resume "$at" "$work/texture" >"$work/out" 2>"$work/err" || fail "resumed at $at: $(tail -n 3 "$work/err")"
    sed '/^$/,$d' "$work/out" | diff -u "$here/texture.expected" - || fail "resumed at $at"
    awk 'table { NF -= 2; print } /^kernel/ { table = 1 }' "$work/out" | diff -u "$work/base" - || fail "resumed at $at: other cycles"
done
[ $tried -gt 5 ] || fail "$tried checkpoints"

build "$work/misuse" "$here/texture_misuse.cu"
misuse() {
    for mode in functional timing; do
        LOCKSTEP_MODE=$mode on_simulator "$work/misuse" "$1" >"$work/out" 2>"$work/err" || true
        grep -qx "$2" "$work/out" || fail "way $1, $mode: $(cat "$work/out" "$work/err")"
        [ -z "$3" ] || grep -q "$3" "$work/err" || fail "way $1, $mode: not explained: $(cat "$work/err")"
    done
}
misuse 0 cudaSuccess ''
misuse 1 cudaErrorIllegalAddress 'is no texture object, or one that was destroyed'
misuse 2 cudaErrorIllegalAddress 'is no texture object'
misuse 3 cudaErrorIllegalAddress 'is no texture object'
misuse 4 cudaErrorIllegalAddress 'outside of a surface of 8 x 2'
misuse 5 cudaErrorMisalignedAddress 'misaligned'
misuse 6 cudaErrorIllegalAddress 'nothing was allocated'
misuse 7 cudaErrorInvalidFilterSetting 'cannot be filtered'
misuse 8 cudaErrorNotSupported sRGB
misuse 9 cudaErrorInvalidValue 'are not all in an array of 8 x 2'
timeout 100 "$LOCKSTEP" run $memory --check race "$work/misuse" 10 >"$work/out" 2>"$work/err" && fail "the race was not seen"
grep -q 'texture_misuse.cu:11' "$work/err" || fail "the race was not told: $(cat "$work/err")"

# References, which nvcc no longer has.
[ "$compiler" = nvcc ] && exit 0
build "$work/references" -DLOCKSTEP_TEXTURE_REFERENCES "$here/texture_references.cu"
for mode in functional timing; do
    LOCKSTEP_MODE=$mode on_simulator "$work/references" >"$work/out" 2>"$work/err" || fail "references: $(cat "$work/out" "$work/err")"
    grep -qx cudaErrorIllegalAddress "$work/out" || fail "references: $(cat "$work/out")"
    grep -q 'is no texture object' "$work/err" || fail "references: not explained: $(cat "$work/err")"
done
# Nobody has to ask for them: what does not compile without them, in the source or in a header of it, gets them.
build "$work/references" "$here/texture_references.cu" 2>"$work/err" || fail "references: $(cat "$work/err")"
[ ! -s "$work/err" ] || fail "references: $(cat "$work/err")"
on_simulator "$work/references" >"$work/out" 2>"$work/err" || fail "references: $(cat "$work/out" "$work/err")"
echo '#include "texture_references.cu"' >"$work/outer.cu"
"$LOCKSTEP" cc -I "$here" -c "$work/outer.cu" -o "$work/outer.o" || fail "references in a header"

# A program's own class of that name is left alone, as are the messages about it.
echo 'namespace own { template <class T, int N> struct texture { T t[N]; }; } using namespace own; texture<float, 2> t;
int texture_of = sizeof t; __global__ void k() { t.absent = 0; }' >"$work/own.cu"
"$LOCKSTEP" cc -c "$work/own.cu" -o "$work/own.o" 2>"$work/err" && fail "a wrong program compiles"
grep -q 'ambiguous' "$work/err" && fail "a class of the name texture: $(cat "$work/err")"
sed -i 's/t.absent = 0;//' "$work/own.cu"
"$LOCKSTEP" cc -c "$work/own.cu" -o "$work/own.o" || fail "a class of the name texture"
