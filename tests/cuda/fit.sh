# The machine for a program that names none: the default one if it has room for a block of each kernel with launch bounds,
# else the smallest GPU that has; it is said, unless quietly. Kernels that are launched in blocks whose registers do not
# fit run with fewer, and that is said once.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/free" "$here/fit.cu"
build "$work/bounded" -DBOUNDED "$here/fit.cu"

# expect PROGRAM GPU OPTIONS...: runs on that GPU, with the same result everywhere.
expect() {
    program=$1 gpu=$2
    shift 2
    "$LOCKSTEP" run "$@" "$work/$program" >"$work/out" 2>"$work/err" || fail "$program $*: status $?: $(cat "$work/err")"
    grep -q "^Lockstep $gpu, cudaSuccess, 0x1.64577p+0\$" "$work/out" || fail "$program $*: $(cat "$work/out" "$work/err")"
}
said='^lockstep: machine gtx1080ti: kernel many has blocks of 1024 threads with [0-9]* registers each and 0 bytes of shared memory, too much for gtx480 (PTX of sm_[0-9]*)$'
limited='note: kernel many needs [0-9]* registers a thread, and a block of 1024 threads leaves room for 32: it runs with these'

expect bounded "GTX 1080 Ti"
grep -q "$said" "$work/err" || fail "bounded: not said: $(cat "$work/err")"
grep -q "$limited" "$work/err" && fail "bounded: limited where there is room"
"$LOCKSTEP" run --machine gtx1080ti "$work/bounded" >"$work/again" 2>"$work/err" || fail "bounded on gtx1080ti"
grep -q "$said" "$work/err" && fail "bounded: a machine that was named is said"
diff <(sed 's/ *[^ ]* [kM]\/s$//' "$work/out") <(sed 's/ *[^ ]* [kM]\/s$//' "$work/again") || fail "the machine that was taken is not gtx1080ti as it is"
expect bounded "GTX 1080 Ti" --quiet
grep -q . "$work/err" && fail "bounded --quiet: $(cat "$work/err")"
expect free "GTX 480"
[ "$(grep -c "$limited" "$work/err")" = 1 ] || fail "free: not limited, or not said once: $(cat "$work/err")"
expect bounded "GTX 480" --machine gtx480
[ "$(grep -c "$limited" "$work/err")" = 1 ] || fail "bounded on gtx480: $(cat "$work/err")"
expect bounded "GTX 480" --machine gtx480 --mode functional

# What the user says holds: a number of registers that does not fit is refused, as ever.
"$LOCKSTEP" run --machine gtx480 --registers 64 "$work/free" >"$work/out" 2>"$work/err" && fail "--registers 64 fits"
grep -q 'does not fit on an SM (limited by registers)' "$work/err" || fail "--registers 64: $(cat "$work/err")"

# The statistics have the machine, and the registers that the kernel had.
"$LOCKSTEP" run --quiet --stats "$work/stats.json" "$work/bounded" >"$work/out" 2>&1 || fail "--stats"
grep -q '"name": "Lockstep GTX 1080 Ti"\|gtx1080ti' "$work/stats.json" || fail "--stats: another machine"
"$LOCKSTEP" run --quiet --stats "$work/stats.json" "$work/free" >"$work/out" 2>&1 || fail "--stats free"
grep -q '"registers": 32' "$work/stats.json" || fail "--stats: $(grep registers "$work/stats.json")"
exit 0
