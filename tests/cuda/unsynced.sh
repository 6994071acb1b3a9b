# Exchanges between lanes that do not execute them together: what lanes get, one note for each line that says so, an
# error with --check sync, and nothing said of what the manual allows.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build "$work/unsynced" -lineinfo "$here/unsynced.cu"
numbers() { echo $(seq 0 23); }
# Line K of the source that is marked NOTED.
line_of() { grep -n ' // NOTED' "$here/unsynced.cu" | sed -n "$1s/:.*//p"; }

# The PTX of nvcc names the line of the header that the intrinsic is defined in, each place by itself.
by_nvcc() { [ "$compiler" = nvcc ]; }

# expect HOW NOTES LINE LANES VALUES: the output of two launches, and the notes on standard error.
expect() {
    on_simulator "$work/unsynced" "$1" >"$work/out" 2>"$work/err" || fail "$1: status $?: $(cat "$work/err")"
    printf '%s\n' "$1: cudaSuccess: $5" "$1: cudaSuccess: $5" | diff -u - "$work/out" || fail "$1: other values"
    [ "$(grep -c 'note:' "$work/err")" = "$2" ] || { by_nvcc && [ "$2" != 0 ]; } || fail "$1: not $2 notes: $(cat "$work/err")"
    [ "$2" = 0 ] || grep -q "note: .*$4" "$work/err" || fail "$1: no word of '$4': $(cat "$work/err")"
    [ "$2" = 0 ] || by_nvcc || grep -qE "\(unsynced.cu:$3( in [^)]*)?\):" "$work/err" || fail "$1: not line $3: $(cat "$work/err")"
    LOCKSTEP_CHECK=sync on_simulator "$work/unsynced" "$1" >"$work/out" 2>"$work/err" || fail "$1: status $?"
    if [ "$2" = 0 ]; then
        grep -q "$1: cudaSuccess" "$work/out" || fail "$1: an error with LOCKSTEP_CHECK: $(cat "$work/err")"
    else
        grep -q "$1: cudaErrorIllegalInstruction" "$work/out" || fail "$1: no error with LOCKSTEP_CHECK"
        grep -q "error: .*$4" "$work/err" || fail "$1: the error says other than '$4': $(cat "$work/err")"
    fi
}

zeros() { seq "$1" | sed 's/.*/0/' | tr '\n' ' ' | sed 's/ $//'; }
# each HOW...: as `expect`, in one mode and the next in the other, or in both.
each() {
    in_turn functional timing
    for LOCKSTEP_MODE in "${chosen[@]}"; do expect "$@"; done
}
each block_sum 1 "$(line_of 1)" 'lanes 0-7 read lanes 16-23 of the warp, which do not execute' "256 $(zeros 23)"
each unnamed 1 "$(line_of 2)" 'lanes 4-7 .* a mask that does not name them' "15 15 15 15 15 15 15 15 $(zeros 16)"
each absent 1 "$(line_of 3)" 'lanes 0-15 .* also names lanes 16-31' "$(numbers)"
below_values="0 0 1 2 2 3 4 4 5 6 6 7 8 8 9 10 10 11 12 12 13 14 14 15"
each below 1 "$(line_of 4)" 'lanes 0-31 .* a mask that does not name them' "$below_values"
each groups 0 0 none "$(echo $(seq 24 | sed 's/.*/1/'))"

# Under the stack nobody waits for lanes elsewhere, and the note says so; other ways wait, and say nothing.
"$LOCKSTEP" run --quiet "$work/unsynced" absent >"$work/out" 2>"$work/err" || fail "absent under the stack"
grep -q 'under this divergence model (sm.divergence) nobody waits for them' "$work/err" || fail "absent: $(cat "$work/err")"
for way in its aware dwf; do
    "$LOCKSTEP" run --quiet --check sync --divergence $way "$work/unsynced" absent >"$work/out" 2>&1 || fail "absent, $way"
    grep -q 'note\|error' "$work/out" && fail "absent under $way: $(cat "$work/out")"
    "$LOCKSTEP" run --quiet --divergence $way "$work/unsynced" unnamed >"$work/out" 2>&1 || fail "unnamed, $way"
    grep -q 'lanes 4-7 .* a mask that does not name them: the result is undefined' "$work/out" || fail "unnamed under $way"
    "$LOCKSTEP" run --quiet --divergence $way "$work/unsynced" below >"$work/out" 2>/dev/null || fail "below, $way"
    [ "$(grep -cx "below: cudaSuccess: $below_values" "$work/out")" = 2 ] || fail "below under $way: $(cat "$work/out")"
done

# The command line passes the option on, results count, and threads change nothing.
"$LOCKSTEP" run --quiet --stats "$work/stats.json" "$work/unsynced" block_sum >"$work/out" 2>"$work/one" || fail "run"
grep -q '"unsynced": 5,' "$work/stats.json" || fail "five shuffles are counted: $(grep unsynced "$work/stats.json")"
"$LOCKSTEP" run --quiet --threads 3 "$work/unsynced" block_sum >"$work/out" 2>"$work/three" || fail "run --threads 3"
diff -u "$work/one" "$work/three" || fail "threads change the notes"
"$LOCKSTEP" run --quiet --check sync "$work/unsynced" block_sum >"$work/out" 2>&1 || :
grep -q cudaErrorIllegalInstruction "$work/out" || fail "--check sync is not passed on"
"$LOCKSTEP" run --check lanes "$work/unsynced" >"$work/out" 2>&1 && fail "--check lanes is accepted"
grep -q -- '"lanes" is none of sync, mem, race, init' "$work/out" || fail "--check lanes: $(cat "$work/out")"

# A continued run says what the whole run said: cycle 1100 lies behind the first note.
"$LOCKSTEP" run --quiet --checkpoint-every 1100 --checkpoint "$work/%c.checkpoint" "$work/unsynced" block_sum \
    >"$work/out" 2>"$work/one" || fail "run --checkpoint-every"
"$LOCKSTEP" run --quiet --allow-code --resume "$(ls "$work"/*.checkpoint | head -1)" >"$work/again" 2>"$work/two" || fail "--resume"
diff -u "$work/out" "$work/again" || fail "a continued run prints something else"
diff -u "$work/one" "$work/two" || fail "a continued run has other notes"

# A launch file: the note, or exit code 1. A constant predicate is no mask.
cat >"$work/ballot.ptx" <<'X'
.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 out)
{
    .reg .b64 %out;
    .reg .b32 %r, %s;
    ld.param.u64 %out, [out];
    vote.sync.ballot.b32 %r, 1, 6;
    selp.b32 %s, 5, 7, 0;
    st.global.v2.u32 [%out], {%r, %s};
    ret;
}
X
cat >"$work/ballot.yaml" <<'X'
ptx: ballot.ptx
kernel: k
grid: [1, 1, 1]
block: [2, 1, 1]
buffers: {out: {type: u32, count: 4, init: zero}}
args: [out]
check: [{buffer: out, sum_u32: 9}]
X
"$LOCKSTEP" run --quiet "$work/ballot.yaml" >"$work/out" 2>&1 || fail "launch file: status $?: $(cat "$work/out")"
grep -q 'ballot.ptx:9:5: note: .*lane 0 of the warp executes' "$work/out" || fail "no note: $(cat "$work/out")"
"$LOCKSTEP" run --quiet --check sync "$work/ballot.yaml" >"$work/out" 2>&1 && fail "launch file with --check: status 0"
[ $? = 1 ] || fail "launch file with --check: not status 1"
grep -q 'ballot.ptx:9:5: error: .*lane 0 of the warp executes' "$work/out" || fail "no error: $(cat "$work/out")"
