# Programmatic dependent launch: overlaps where the machine runs several kernels at a time, and nowhere else; values are right in any case.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
build "$work/dependent" "${headers[@]}" "$here/dependent.cu"

# expect TENTHS OPTIONS...: of the first kernel, of a pair, and of a pair with leave to overlap
expect() {
    local expected=$1
    shift
    "$LOCKSTEP" run --quiet "$@" "$work/dependent" >"$work/out" 2>"$work/err" || fail "$*: status $?: $(cat "$work/out" "$work/err")"
    [ "$(tr '\n' ' ' <"$work/out")" = "$expected cudaErrorNotSupported " ] || fail "$*: $(cat "$work/out"), not $expected"
    grep -q cudaLaunchAttributeProgrammaticEvent "$work/err" || fail "$*: the attribute is not named: $(cat "$work/err")"
}
expect "10 20 20"
for same in "" "--threads 2" --no-skip; do
    # shellcheck disable=SC2086 # several words
    expect "10 20 10" --set gpu.kernels=16 $same
done

# Chains: who begins before the first kernel of its chain has ended; values are right on every machine, and by both modes.
build "$work/chains" "${headers[@]}" "$here/dependent_chains.cu"
for same in "" "--threads 2" --no-skip; do
    # shellcheck disable=SC2086 # several words
    "$LOCKSTEP" run --quiet --set gpu.kernels=16 $same "$work/chains" >"$work/out" 2>"$work/err" || fail "chains $same: status $?: $(cat "$work/err")"
    cmp -s "$here/dependent_chains.expected" "$work/out" || fail "chains $same: $(diff "$here/dependent_chains.expected" "$work/out")"
done
for other in "--machine h100" "--machine gtx480" "--machine h100 --mode functional"; do
    # shellcheck disable=SC2086 # several words
    "$LOCKSTEP" run --quiet $other "$work/chains" >"$work/out" 2>"$work/err" || fail "chains $other: status $?: $(cat "$work/err")"
    [ "$(grep -c ': 0 wrong' "$work/out")" = 9 ] || fail "chains $other: $(cat "$work/out")"
done
# The look at an old value is a race, which the check tells of; nothing else is.
! "$LOCKSTEP" run --quiet --machine h100 --check race "$work/chains" >"$work/out" 2>"$work/err" || fail "chains: no race is found"
[ "$(grep -c ': 0 wrong' "$work/out")" = 9 ] || fail "chains, checked: $(cat "$work/out")"
at=$(grep -n 'an old value may be read here' "$here/dependent_chains.cu" | cut -d: -f1)
! grep '^  read by' "$work/err" | grep -qv "dependent_chains.cu:$at" || fail "chains: another read races: $(cat "$work/err")"
