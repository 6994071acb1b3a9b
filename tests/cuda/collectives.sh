# Random exchanges between lanes give what the host computes: on machines with warps of 32 and of 64 lanes, which are two
# warps to a program; from one place, and, where lanes wait for each other, from three.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build "$work/collectives" -O2 -arch=sm_80 "$here/collectives.cu"
want='no error, warps of 32: 0 wrong'
try() {
    echo "run --quiet --check sync $*" >"$work/what"
    "$LOCKSTEP" run --quiet --check sync "$@" >"$work/out" 2>&1 || fail "$(cat "$work/what" "$work/out")"
    [ "$(cat "$work/out")" = "$want" ] || fail "$(cat "$work/what" "$work/out")"
}

seeds=${LOCKSTEP_LONG:+200}
for seed in $(seq "${seeds:-1}"); do
    for machine in gtx480 apu8; do
        try --machine $machine --mode functional "$work/collectives" "$seed" 30 1
        for way in its aware dwf; do
            try --machine $machine --divergence $way --mode functional "$work/collectives" "$seed" 30 3
        done
    done
done
try --machine apu8 "$work/collectives" 5 20 1
try --machine apu128 --divergence its "$work/collectives" 5 20 3

# A checkpoint holds lanes that wait for others.
"$LOCKSTEP" run --quiet --machine apu8 --divergence its --checkpoint-every 3000 --checkpoint "$work/%c.checkpoint" \
    "$work/collectives" 5 20 3 >"$work/out" 2>&1 || fail "with checkpoints: $(cat "$work/out")"
[ "$(ls "$work"/*.checkpoint | wc -l)" -ge 3 ] || fail "too few checkpoints"
files=${LOCKSTEP_LONG:+3}
for file in $(ls "$work"/*.checkpoint | head -n "${files:-1}"); do
    [ "$("$LOCKSTEP" run --quiet --allow-code --resume "$file" 2>&1)" = "$want" ] || fail "continued from $file"
done

# Lanes that go round a loop once more than the rest name others at the same instruction.
want='cudaSuccess, 0 wrong, 6 (6)'
for way in stack its aware dwf; do
    in_turn timing functional
    for mode in "${chosen[@]}"; do try --divergence $way --mode $mode "$work/collectives" loop; done
done
