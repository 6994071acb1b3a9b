# Sourced by the tests of this folder: what a program prints on the simulator is what it printed on a card.
set -eu
here=$LOCKSTEP_SRC/tests/silicon
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

build() {
    "$LOCKSTEP" cc -arch=sm_80 "$here/$1.cu" -o "$work/$1"
}

# as_on_card PROGRAM OPTIONS...: lines that begin with ~ show what the manual leaves open.
as_on_card() {
    local name=$1
    shift
    "$LOCKSTEP" run --quiet --mode functional "$@" "$work/$name" 2>"$work/notes" | grep -v '^~' >"$work/out" || fail "$name $*: $(cat "$work/notes")"
    diff "$here/$name.expected" "$work/out" >"$work/diff" || fail "$name $* differs from the card: $(head -n 10 "$work/diff")"
}
