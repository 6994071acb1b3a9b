#!/usr/bin/env bash
# A spin lock that is correct ends, and sums up right, under every scheduler with its defaults: where the warps of one scheduler, or
# the schedulers of an SM, meet at the one pipeline register for memory instructions in a rhythm, those who come second get their turn
# all the same. The strict forms of the schedulers starve, and that is said.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
cp "$here/lock.ptx" "$folder/"

# lock BLOCKS THREADS LANES WORDS: a launch file
lock() {
    sed "s/^grid: .*/grid: [$1]/; s/^block: .*/block: [$2]/; s/{u32: 32}, {u32: 1}/{u32: $3}, {u32: $4}/
        s/sum_u32: 512/sum_u32: $(($1 * $2 / 32 * $3 * $4))/" "$here/lock.yaml" >"$folder/lock.yaml"
}

# run CODES OPTIONS...: the launch file ends with one of these exit codes, such as "0" or "0 4"
run() {
    local codes=$1 got
    shift
    "$LOCKSTEP" run --quiet "$@" "$folder/lock.yaml" >"$folder/out" 2>&1
    got=$?
    [[ " $codes " == *" $got "* ]] || wrong "run $* ($(grep -E '^(grid|block|args)' "$folder/lock.yaml" | tr '\n' ' ')): exit code $got, expected $codes
$(head -n 12 "$folder/out" | cut -c1-200)"
}

default="gto oldest lrr tls cawa saws mwf"
[ -z "${LOCKSTEP_LONG:-}" ] || default="$default cawa:profile=artifact gto:rotate=preference"
for scheduler in $default; do
    lock 2 256 32 1
    run 0 --sched "$scheduler" --max-cycles 10000000
done
# Two blocks on one SM: their order is not who gets on.
in_turn saws mwf
for scheduler in "${chosen[@]}"; do
    lock 2 256 32 1
    run 0 --sched "$scheduler" --set gpu.sms=1 --max-cycles 10000000
done
lanes=2
[ -z "${LOCKSTEP_LONG:-}" ] || lanes=8
in_turn gto lrr
for scheduler in "${chosen[@]}"; do
    lock 30 192 "$lanes" 1
    run 0 --sched "$scheduler" --max-cycles 30000000
done
for machine in gtx480-sm2 gtx1080ti; do
    # shellcheck disable=SC2086 # words
    in_turn $default
    for scheduler in "${chosen[@]}"; do
        lock 3 256 32 1
        run 0 --machine "$machine" --sched "$scheduler" --max-cycles 10000000
    done
done
# The holder reads through the L1D, whose door it comes to with others behind it that go past: they do not keep it there for ever.
sed 's/^\tld.volatile.global.u32 \(.*\)\[%rd7\];/&\n\tld.global.nc.u32 %r10, [%rd1+128];/' "$here/lock.ptx" >"$folder/lock.ptx"
lock 1 256 32 1
for latency in 1 20; do
    run 0 --machine thesis --set sm.l1d_latency=$latency --max-cycles 3000000
done
cp "$here/lock.ptx" "$folder/"
# A longer critical section.
for scheduler in gto cawa lrr; do
    lock 2 256 8 8
    run 0 --sched "$scheduler" --max-cycles 10000000
done
# Lanes and warps enough to take too long for a test: somebody gets on whenever the progress watch looks.
most=500000
[ -z "${LOCKSTEP_LONG:-}" ] || most=1300000
for shape in "3 256" "8 256" "15 256" "30 192"; do
    in_turn gto oldest lrr tls cawa saws mwf
    for scheduler in "${chosen[@]}"; do
        # shellcheck disable=SC2086 # two words
        lock $shape 32 1
        run "0 4" --sched "$scheduler" --set sm.age_rotation=20000 --set gpu.watch_cycles=100000 --max-cycles $most
    done
done
# A window of the watch is shorter than a turn takes to come, or an atomic to come back: that alone is no hang.
long=300000
[ -z "${LOCKSTEP_LONG:-}" ] || long=3000000
lock 15 256 32 1
run 4 --sched gto --set gpu.watch_cycles=20000 --max-cycles "$long"
run 4 --sched lrr --set gpu.watch_cycles=5000 --max-cycles 300000
# Strict forms.
in_turn "gto:patience=0" "cawa:patience=0" "saws:patience=0"
for strict in "gto --set sm.age_rotation=0" "mwf:patience=0 --set gpu.sms=1" "${chosen[@]}"; do
    lock 2 256 32 1
    # shellcheck disable=SC2086 # a name and options
    run 3 --sched $strict --set gpu.watch_cycles=50000 --max-cycles 3000000
done
finish
