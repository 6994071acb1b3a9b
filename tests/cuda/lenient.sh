# Accesses just outside of allocations under --lenient: loads read zeros, stores and atomics change nothing, one warning a
# line and the sums at the end; farther ones and those without the option are errors. The same in both modes, on several
# threads, over a checkpoint and in a launch file; --check mem makes them findings.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/lenient" -lineinfo "$here/lenient.cu"

# expect HOW SUM LINE COUNT WORDS: two launches, each of which misses COUNT times.
expect() {
    in_mode=${LOCKSTEP_MODE:-functional}
    LOCKSTEP_LENIENT=1 on_simulator "$work/lenient" "$1" >"$work/out" 2>"$work/err" || fail "$1: status $?"
    [ "$(cat "$work/out")" = "$1: cudaSuccess $2" ] || fail "$1, $in_mode: $(cat "$work/out" "$work/err")"
    [ "$(grep -c 'warning:' "$work/err")" = 1 ] || fail "$1, $in_mode: not one warning: $(cat "$work/err")"
    tr '\n' ' ' <"$work/err" >"$work/line"
    grep -q "warning: kernel [a-z_]*: access to global address 0x[0-9a-f]*, .*$5.*allocation #1 (cudaMalloc, 280 bytes).*: $4 of this line" "$work/line" ||
        fail "$1, $in_mode: $(cat "$work/err")"
    grep -q "note: $((2 * $4)) accesses outside of allocations let pass" "$work/err" || fail "$1: no sum: $(cat "$work/err")"
    on_simulator "$work/lenient" "$1" >"$work/out" 2>"$work/err" || fail "$1 without: status $?"
    [ "$(cat "$work/out")" = "$1: cudaErrorIllegalAddress 0" ] || fail "$1, $in_mode: no error without LOCKSTEP_LENIENT"
}
# refused HOW: farther out than a page, it is an error under --lenient too.
refused() {
    LOCKSTEP_LENIENT=1 on_simulator "$work/lenient" "$1" >"$work/out" 2>"$work/err" || fail "$1: status $?"
    [ "$(cat "$work/out")" = "$1: cudaErrorIllegalAddress 0" ] || fail "$1: $(cat "$work/out")"
    grep -q 'error: ' "$work/err" || fail "$1: no error: $(cat "$work/err")"
}
for mode in functional timing; do
    export LOCKSTEP_MODE=$mode
    expect read 9788 10 58 behind
    expect vectors 17292 16 15 across
    expect write 15583 23 58 behind
    expect count 12238 30 58 behind
    refused far
    refused null
done
unset LOCKSTEP_MODE

# What is printed does not depend on threads, nor on steps that are skipped.
run() { "$LOCKSTEP" run --quiet --lenient "$@" >"$work/out" 2>&1; }
run "$work/lenient" read || fail "read: status $?"
mv "$work/out" "$work/one"
for how in "--threads 3" --no-skip; do
    run $how "$work/lenient" read || fail "$how: status $?"
    diff -u "$work/one" "$work/out" || fail "$how prints something else"
done
run --check mem "$work/lenient" read && fail "--check mem finds nothing"
grep -q 'check found 2 errors' "$work/out" || fail "--check mem: $(cat "$work/out")"

# A run that is continued says what the whole run said: it knows the option, and what was let pass before.
"$LOCKSTEP" run --quiet --lenient --checkpoint-every 400 --checkpoint "$work/%c.checkpoint" "$work/lenient" read \
    >"$work/one" 2>"$work/err" || fail "run --checkpoint-every: $(cat "$work/err")"
count=0
for from in "$work"/*.checkpoint; do
    "$LOCKSTEP" run --quiet --allow-code --resume "$from" >"$work/again" 2>"$work/errors" || fail "--resume $from: $(cat "$work/errors")"
    diff -u "$work/one" "$work/again" || fail "continued from $from, it prints something else"
    diff -u <(grep -v 'taken from' "$work/err") <(grep -v 'taken from' "$work/errors") || fail "continued from $from: other warnings"
    count=$((count + 1))
done
[ "$count" -gt 1 ] || fail "only $count checkpoints"

cat >"$work/sum.ptx" <<'X'
.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 in, .param .u64 out)
{
    .reg .b64 %in, %out, %o;
    .reg .b32 %r, %t;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %o, %t, 4;
    add.u64 %in, %in, %o;
    add.u64 %out, %out, %o;
    ld.global.u32 %r, [%in];
    add.u32 %r, %r, 1;
    st.global.u32 [%out], %r;
    ret;
}
X
cat >"$work/sum.yaml" <<'X'
ptx: sum.ptx
kernel: k
grid: [1, 1, 1]
block: [64, 1, 1]
buffers:
  in: {type: u32, count: 50, init: zero}
  out: {type: u32, count: 64, init: zero}
args: [in, out]
check: [{buffer: out, sum_u32: 64}]
X
for mode in timing functional; do
    "$LOCKSTEP" run --quiet --mode $mode --lenient "$work/sum.yaml" >"$work/out" 2>&1 || fail "launch file, $mode: $(cat "$work/out")"
    grep -q 'sum.ptx:14:5: warning: kernel k: .* behind the end of .*in' "$work/out" || fail "launch file: $(cat "$work/out")"
    grep -q 'note: 14 accesses' "$work/out" || fail "launch file: $(cat "$work/out")"
    "$LOCKSTEP" run --quiet --mode $mode "$work/sum.yaml" >"$work/out" 2>&1 && fail "launch file, $mode: no error without --lenient"
done
exit 0
