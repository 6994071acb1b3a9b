# Sourced by the tests of this folder: what a program prints on the simulator is what it printed on a card.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
here=$LOCKSTEP_SRC/tests/silicon

# as_on_card PROGRAM OPTIONS...: lines that begin with ~ show what the manual leaves open.
as_on_card() {
    local name=$1
    shift
    "$LOCKSTEP" run --quiet --mode functional "$@" "$work/$name" 2>"$work/notes" | grep -v '^~' >"$work/out" || fail "$name $*: $(cat "$work/notes")"
    diff "$here/$name.expected" "$work/out" >"$work/diff" || fail "$name $* differs from the card: $(head -n 10 "$work/diff")"
}
