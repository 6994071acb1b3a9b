#!/usr/bin/env bash
# Warp schedulers from shared objects: the examples build with the installed header and run, alone and with all that goes with a
# run; what is wrong with an object is said before anything runs, and a wrong pick ends the run as the policy's fault.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
cases=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1
little_locks .
cmake --install "$LOCKSTEP_BUILD" --component development --prefix "$folder/installed" >install.log 2>&1 || { cat install.log; exit 1; }

# object NAME: builds NAME.so from NAME.c.
object() {
    cc -O2 -Wall -Wextra -Werror -shared -fPIC -I installed/include -o "$1.so" "$1.c" || exit 1
}

# run TO OPTIONS...: the statistics without the members of "host" objects and without the scheduler's name, in one file.
run() {
    local to=$1
    shift
    "$LOCKSTEP" run --quiet --stats "$to.json" "$@" >"$to.out" 2>&1 || { wrong "$*"; cat "$to.out"; }
    without_host "$to.json" | grep -v '"scheduler": ' >"$to"
}

same() {
    cmp "$1" "$2" || wrong "$3"
}

# The examples as their page says, word for word, in a copy of the folders that it names.
mkdir -p tree/examples tree/build/release && cp -r "$LOCKSTEP_SRC/examples/scheduler" tree/examples/
ln -s "$LOCKSTEP_SRC/include" tree/include && ln -s "$LOCKSTEP_SRC/tests" tree/tests && ln -s "$LOCKSTEP_BUILD/bin" tree/build/release/bin
grep '^    [c.]' tree/examples/scheduler/README.md | sed 's/$/ || exit 1/' >commands
[ "$(wc -l <commands)" -eq 6 ] || wrong "the page of the examples has other commands"
(cd tree/examples/scheduler && bash ../../../commands) >commands.out 2>&1 || { wrong "the page of the examples"; cat commands.out; }
grep -q "nearest.so" commands.out || wrong "the page of the examples compares nothing"

cp "$LOCKSTEP_SRC/examples/scheduler/"{youngest,nearest}.c .
object youngest
object nearest
expect 0 "./youngest.so:turn=3" compare --sched gto,./youngest.so,./youngest.so:turn=3 ht64.yaml
run young --sched ./youngest.so "$cases/reduce.yaml"
run one --sched ./youngest.so:turn=1 "$cases/reduce.yaml"
cmp -s young one && wrong "an option changes nothing"
cmp -s young <(run /dev/stdout --sched gto "$cases/reduce.yaml") && wrong "it is gto"
for how in "--threads 3" "--no-skip" "--set sm.scheduler=$folder/youngest.so"; do
    # shellcheck disable=SC2086
    run other --sched youngest.so $how "$cases/reduce.yaml"
    same young other "the results depend on $how"
done
expect 0 "" run --sched ./youngest.so+bows ht64.yaml

# The one that looks at blocks and barriers.
run near --sched ./nearest.so --fetch cff "$cases/barimb.yaml"
in_turn "--threads 3" "--no-skip" "--set sm.fetch=cff"
for how in "${chosen[@]}"; do
    # shellcheck disable=SC2086
    run other --sched nearest.so --fetch cff $how "$cases/barimb.yaml"
    same near other "with blocks, the results depend on $how"
done
grep -q '"scheduler_bits": 96,*$' near || wrong "it does not say what it takes"
run other --sched gto --fetch cff "$cases/barimb.yaml"
cmp -s near other && wrong "it is gto"
grep -q scheduler_bits other && wrong "gto says what it takes"
expect 0 "" run --sched ./nearest.so+bows --fetch fef ht64.yaml

# The one that looks at the L1 data cache: it lowers the misses of warps that take each other's lines, with right results, as its page says;
# on every way to run it the same.
cp "$LOCKSTEP_SRC/examples/scheduler/"{ccws.c,thrash.ptx,thrash.yaml} .
object ccws
misses() { sed -n '/"l1d": {/,/}/s/^ *"read_misses": \([0-9]*\),*$/\1/p' "$1" | tail -1; }
run greedy --set gpu.sms=1 --sched gto thrash.yaml
run conscious --set gpu.sms=1 --sched ./ccws.so thrash.yaml
[ "$(misses greedy)" = 14440 ] && [ "$(misses conscious)" = 1940 ] || wrong "misses: gto $(misses greedy), ccws $(misses conscious)"
"$LOCKSTEP" run --quiet --mode functional thrash.yaml >functional.out || { wrong "thrash"; cat functional.out; }
run whole --set gpu.sms=2 --set l1d.allocate=on_fill --sched ./ccws.so thrash.yaml
in_turn "--threads 2" "--no-skip"
for how in "${chosen[@]}"; do
    # shellcheck disable=SC2086
    run other --set gpu.sms=2 --set l1d.allocate=on_fill --sched ./ccws.so $how thrash.yaml
    same whole other "with the memory's view, the results depend on $how"
done
"$LOCKSTEP" run --quiet --set gpu.sms=1 --sched ./ccws.so --checkpoint-every 30000 --checkpoint at thrash.yaml >/dev/null || wrong "checkpoints"
run rest --allow-code --resume at
same conscious rest "with the memory's view, it goes on otherwise"
for protocol in hlrc denovo-b; do
    expect 2 "scheduler ccws wants to know which warps miss in the L1 data cache, which is not known under coherence.protocol=$protocol" \
        run --protocol $protocol --sched ./ccws.so thrash.yaml
done

# The same policy gives the same cycles, whether it comes with Lockstep or not.
cat >turns.c <<'C'
#include <lockstep/scheduler.h>
static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    *(unsigned *)state = setup->index * 0;
}
static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    for (unsigned i = 0, warp = *(const unsigned *)state % 64; i < 64; i++, warp = (warp + 1) % 64)
        if (view->ready >> warp & 1)
            return warp;
    return LOCKSTEP_NO_WARP;
}
static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    *(unsigned *)state = view->warps[warp].issued ? warp + 1 : 0;
}
static const struct lockstep_scheduler turns = {.version = LOCKSTEP_SCHEDULER_VERSION, .name = "turns",
    .state_bytes = sizeof(unsigned), .reset = reset, .pick = pick, .issued = issued};
const struct lockstep_scheduler *lockstep_scheduler_plugin(void)
{
    return &turns;
}
C
object turns
run mine --sched ./turns.so ht64.yaml
run theirs --sched lrr ht64.yaml
same mine theirs "a copy of lrr is not lrr"

# It can say for whom instructions are fetched: that counts where the fetch policy follows the schedulers, and nowhere else.
sed 's/static const struct lockstep_scheduler turns/static unsigned last(const void *state, const struct lockstep_scheduler_view *view, uint64_t warps)\
{\
    unsigned warp = 63;\
    (void)state;\
    while (!(warps >> warp \& 1) || view->entries(view, warp) != 0)\
        warp--;\
    return warp;\
}\
&/; s/\.issued = issued/&, .fetch = last/' turns.c >fetches.c
object fetches
run cff --sched ./turns.so --fetch cff "$cases/reduce.yaml"
run own --sched ./fetches.so --fetch cff "$cases/reduce.yaml"
cmp -s cff own && wrong "its own fetch changes nothing"
run cff --sched ./turns.so --fetch lrr "$cases/reduce.yaml"
run other --sched ./fetches.so --fetch lrr "$cases/reduce.yaml"
same cff other "lrr fetch asks the scheduler"
in_turn "--threads 2" "--no-skip"
for how in "${chosen[@]}"; do
    # shellcheck disable=SC2086
    run other --sched ./fetches.so --fetch cff $how "$cases/reduce.yaml"
    same own other "with its own fetch, the results depend on $how"
done

# Checkpoints go on with the same content only, wherever the file lies.
"$LOCKSTEP" run --quiet --sched ./youngest.so --checkpoint-every 2000 --checkpoint at "$cases/reduce.yaml" >/dev/null || wrong "checkpoints"
mkdir -p elsewhere && cp youngest.so elsewhere/
run rest --allow-code --resume at
same young rest "it goes on otherwise"
run rest --resume at --sched elsewhere/youngest.so "$cases/reduce.yaml"
same young rest "it goes on otherwise with the file elsewhere"
expect 2 "another machine: sm.scheduler=youngest.so (content" run --resume at --sched youngest.so:turn=2
expect 2 "another machine: sm.scheduler=youngest.so (content" run --resume at --sched gto
sed -i 's/age > view/age < view/' youngest.c
object youngest
expect 2 "another machine: sm.scheduler=youngest.so (content" run --allow-code --resume at

# What is wrong with it is said at once.
refused() {
    expect 2 "$2" run --sched "$1" "$cases/vecadd.yaml"
}
echo "no object" >text.so
echo 'int x;' >empty.c && object empty
refused ./none.so "cannot load the warp scheduler ./none.so: "
refused none.so "cannot load the warp scheduler none.so: "
refused ./text.so "cannot load the warp scheduler ./text.so: "
refused ./ "cannot load the warp scheduler ./: "
refused ./empty.so "./empty.so is no warp scheduler: it does not define lockstep_scheduler_plugin"
refused ./turns.so:x=1 "scheduler turns has no option x"
refused ./turns.so+none "there is no spin control named none"
# One object with all that can be wrong with a policy's record; WRONG says which.
{
    sed '/^static const struct/,$d' turns.c
    cat <<'C'
#include <stdlib.h>
#define THIS .version = LOCKSTEP_SCHEDULER_VERSION
#define GOOD .name = "n", .reset = reset, .pick = pick, .issued = issued
static const struct lockstep_scheduler wrong[] = {
    {GOOD, .version = 1}, {GOOD, .version = 2}, {GOOD, .version = 3}, {GOOD, .version = 5}, {GOOD, .version = -1},
    {THIS, .name = "n", .pick = pick}, {THIS, .name = "n", .reset = reset}, {THIS, .reset = reset, .pick = pick},
    {THIS, GOOD, .state_bytes = 65537}, {THIS, GOOD, .needs = 128},
    {THIS, GOOD, .options = (const struct lockstep_scheduler_option[]){{.name = "o", .minimum = 1, .maximum = 2}, {0}}},
    {THIS, GOOD, .options = (const struct lockstep_scheduler_option[]){{.name = "o", .maximum = 9, .parameter = "none"}, {0}}}};
const struct lockstep_scheduler *lockstep_scheduler_plugin(void)
{
    size_t which = atoi(getenv("WRONG"));
    return which < sizeof wrong / sizeof *wrong ? &wrong[which] : 0;
}
C
} >wrong.c
cc -O2 -w -shared -fPIC -I installed/include -o wrong.so wrong.c || exit 1
export WRONG=0
for text in "was built for version 1 of the scheduler interface; this is version" \
    "was built for version 2 of the scheduler interface; this is version 6" \
    "was built for version 3 of the scheduler interface; this is version 6" \
    "was built for version 5 of the scheduler interface; this is version 6" \
    "was built for version 4294967295 of the scheduler interface; this is version" \
    "must have the functions reset and pick" "must have the functions reset and pick" "it has no name" \
    "a state of 65537 bytes is too large" "it needs something that this Lockstep does not know" \
    "the initial value of an option is none that the option can have" \
    "an option begins with a parameter that is no number of sm" "lockstep_scheduler_plugin returns nothing"; do
    refused ./wrong.so "$text"
    WRONG=$((WRONG + 1))
done

# A fault inside the object is the object's: it is named, with the function that was called; so are a pick that was not ready, a loop that
# does not end, and that it never picks warps that could go on. CULPRIT says which.
cat >culprit.c <<'C'
#include <lockstep/scheduler.h>
#include <stdlib.h>
static char fault;
static void (*volatile end)(void) = abort; /* what surely ends the process is put outside of pick() */
static void reset(void *state, const struct lockstep_scheduler_setup *setup) { (void)state, (void)setup; }
static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    volatile unsigned *volatile nothing = 0;
    unsigned warp = 0;
    (void)state;
    while (warp < 64 && !(view->ready >> warp & 1))
        warp++;
    switch (view->cycle > 100 ? fault : 0) {
    case '1': return view->ready & 1 ? 1 : 0;
    case '2': return 63;
    case '3': return 65;
    case '4': return 4294967295;
    case 's': return *nothing;
    case 'a': end(); return 0;
    case 'c': abort(); /* which compilers put elsewhere */
    case 'l': for (volatile int i = 1; i;) ; return 0;
    case 'n': return LOCKSTEP_NO_WARP;
    }
    return warp < 64 ? warp : LOCKSTEP_NO_WARP;
}
static const struct lockstep_scheduler policy = {
    .version = LOCKSTEP_SCHEDULER_VERSION, .name = "culprit", .doc = "bad", .reset = reset, .pick = pick};
const struct lockstep_scheduler *lockstep_scheduler_plugin(void)
{
    fault = *getenv("CULPRIT");
    return &policy;
}
C
object culprit
fault="the warp scheduler culprit is at fault"
export CULPRIT=segv
expect 1 "$fault: SIGSEGV in its function pick()" run --sched ./culprit.so "$cases/reduce.yaml"
CULPRIT=abort
expect 1 "$fault: SIGABRT in its function pick()" run --threads 2 --sched ./culprit.so "$cases/reduce.yaml"
CULPRIT=cold
"$LOCKSTEP" run --sched ./culprit.so "$cases/reduce.yaml" >out.txt 2>&1
grep -qE "$fault: SIGABRT in (one of its functions|its function pick\(\)), at " out.txt || { wrong "a fault in code that is hardly ever executed"; cat out.txt; }
CULPRIT=loop
LOCKSTEP_PLUGIN_SECONDS=0.3 expect 1 "it does not come back from a loop in its function pick()" run --sched ./culprit.so "$cases/reduce.yaml"
CULPRIT=never
for text in "culprit never picks any of" "made no progress"; do
    expect 3 "$text" run --sched ./culprit.so --set gpu.watch_cycles=1000 --set sm.age_rotation=100 "$cases/reduce.yaml"
done
expect 4 "max-cycles" run --max-cycles 5000 --sched ./culprit.so "$cases/reduce.yaml"
for CULPRIT in 1 2 3 4; do
    in_turn "--threads 1" "--threads 3" "--no-skip"
    for how in "${chosen[@]}"; do
        # shellcheck disable=SC2086
        expect 1 "$fault: it picked warp slot" run $how --sched ./culprit.so "$cases/reduce.yaml"
    done
done
expect 1 "which was not ready" run --sched ./culprit.so+bows ht64.yaml

if [ -n "${LOCKSTEP_PRELOAD:-}" ] || ! command -v clang >/dev/null; then
    finish
    exit 0
fi
# A CUDA program finds it from any folder.
cat >p.cu <<'P'
#include <cstdio>
#include <unistd.h>
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }
int main()
{
    int *x, y = 0;
    if (chdir("/")) return 9;
    cudaMalloc(&x, 4096);
    twice<<<4, 64>>>(x);
    cudaError_t error = cudaDeviceSynchronize();
    if (cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost) != cudaSuccess) y = 1;
    printf("%s\n", cudaGetErrorString(error));
    return error ? 3 : y;
}
P
"$LOCKSTEP" cc p.cu -o p || exit 1
expect 0 "no error" run --sched ./youngest.so:turn=2 ./p
expect 0 "no error" run --sched elsewhere/youngest.so+bows ./p
expect 3 "$fault" run --sched ./culprit.so ./p
expect 3 "$fault" run --set sm.scheduler=./culprit.so ./p
printf 'base: gtx480\nsm:\n  scheduler: ./culprit.so\n' >culprit.yaml
expect 3 "$fault" run --allow-code --machine culprit.yaml ./p
expect 3 "$fault" run --set sm.scheduler=gto --sched ./culprit.so ./p
expect 0 "no error" run --set sm.scheduler=./culprit.so --sched gto ./p
expect 2 "cannot load the warp scheduler ./none.so" run --sched ./none.so ./p
CULPRIT=segv
expect 1 "./p was ended by a fault of its warp scheduler" run --sched ./culprit.so ./p
finish
