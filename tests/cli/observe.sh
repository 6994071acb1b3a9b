#!/usr/bin/env bash
# Observers from shared objects: the example builds with the installed header, its counts are those of the statistics, on every
# number of threads, skipping or not, continued or not, and no result changes; events fit together; what is wrong with an object is
# said before anything runs, and a fault in one is told as its own.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
cases=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1
include="-I $LOCKSTEP_SRC/include"

# object NAME: builds NAME.so from NAME.c.
object() {
    # shellcheck disable=SC2086
    cc -O1 -Wall -Wextra -Werror -shared -fPIC $include -o "$1.so" "$1.c" || exit 1
}

# run TO OPTIONS...: what is printed, and the statistics without the members of "host" objects in TO.stats.
run() {
    local to=$1
    shift
    "$LOCKSTEP" run --stats "$to.json" "$@" >"$to" 2>&1 || { wrong "$*"; cat "$to"; }
    without_host "$to.json" >"$to.stats"
}

same() {
    cmp "$1" "$2" || wrong "$3"
}

# The example as its page says, word for word, in a copy of the folders that it names.
mkdir -p tree/examples tree/build/release && cp -r "$LOCKSTEP_SRC/examples/observer" tree/examples/
ln -s "$LOCKSTEP_SRC/include" tree/include && ln -s "$LOCKSTEP_SRC/tests" tree/tests && ln -s "$LOCKSTEP_BUILD/bin" tree/build/release/bin
grep '^    [c.]' tree/examples/observer/README.md | sed 's/$/ || exit 1/' >commands
[ "$(wc -l <commands)" -eq 2 ] || wrong "the page of the example has other commands"
(cd tree/examples/observer && bash ../../../commands) >commands.out 2>&1 || { wrong "the page of the example"; cat commands.out; }
grep '^          1536' tree/examples/observer/README.md | sed 's/^    //' >shown
head -2 commands.out | cmp - shown || { wrong "the page of the example shows something else"; head -2 commands.out; }

# counts FILE: the lines of the example's report, and their sum.
counts() {
    grep -E '^ *[0-9]+  ' "$1" | grep -F .ptx:
}
cp "$LOCKSTEP_SRC/examples/observer/issues.c" . && object issues
little_locks .
cp "$cases/barimb.yaml" "$cases/barimb.ptx" .
for case in barimb.yaml ht64.yaml; do
    run bare $case
    run seen --observe ./issues.so $case
    same bare.stats seen.stats "an observer changes results of $case"
    counts seen >report
    sum=$(awk '{ sum += $1 } END { print sum }' report)
    grep -q "\"warp_instructions\": $sum,*$" seen.stats || wrong "$case: the sum of issues, $sum, is not that of the statistics"
    in_turn "--threads 2" "--no-skip"
    for how in "${chosen[@]}"; do
        # shellcheck disable=SC2086
        run other --observe "$folder/issues.so" $how $case
        counts other | cmp - report || wrong "$case: the report depends on $how"
        same bare.stats other.stats "$case: an observer changes results with $how"
    done
done

# Every event: how often, and a digest of all fields. Each SM has its own; all of them are shown.
cat >all.c <<'C'
#include <lockstep/observer.h>
#include <string.h>
struct all { uint64_t digest, count[LOCKSTEP_OBSERVER_EVENTS], lanes, stored, waiting, resident; };
static size_t state_bytes(const struct lockstep_observed *observed) { (void)observed; return sizeof(struct all); }
static void add(struct all *a, unsigned event, uint64_t x, uint64_t y)
{
    a->count[event]++;
    a->digest = (a->digest ^ x * 31 ^ y * 977 ^ event) * 0x9E3779B97F4A7C15u;
    a->digest ^= a->digest >> 29;
}
static void launch(void *state, const struct lockstep_launch_event *e)
{
    add(state, LOCKSTEP_EVENT_launch, e->cycle, e->warp + e->block * 64 + e->block_index[0] * 4096 + e->warp_in_block);
}
static void issue(void *state, const struct lockstep_issue_event *e)
{
    ((struct all *)state)->lanes += (uint64_t)__builtin_popcountll(e->mask);
    add(state, LOCKSTEP_EVENT_issue, e->cycle, e->pc + e->warp * 4096 + e->instruction_class + (e->active ^ e->mask));
}
static void access(void *state, const struct lockstep_access_event *e)
{
    uint64_t sum = e->space;
    for (unsigned lane = 0; lane < 64; lane++)
        if (e->mask >> lane & 1) {
            uint32_t word = 0;
            if (e->instruction_class == LOCKSTEP_STORE)
                memcpy(&word, (const char *)e->data + lane * e->stride, e->bytes < 4 ? e->bytes : 4);
            sum += e->address[lane] + word;
        }
    ((struct all *)state)->stored += e->instruction_class == LOCKSTEP_STORE && e->space == LOCKSTEP_GLOBAL;
    add(state, LOCKSTEP_EVENT_access, e->cycle, sum);
}
static void transaction(void *state, const struct lockstep_transaction_event *e)
{
    add(state, LOCKSTEP_EVENT_transaction, e->cycle, e->address + e->bytes + e->waits + e->mask + e->pc);
}
static void atomic(void *state, const struct lockstep_atomic_event *e)
{
    add(state, LOCKSTEP_EVENT_atomic, e->cycle, e->address + e->before * 3 + e->after * 5 + e->lane);
}
static void done(void *state, const struct lockstep_done_event *e) { add(state, LOCKSTEP_EVENT_done, e->cycle, e->pc + e->warp * 4096); }
static void arrive(void *state, const struct lockstep_arrive_event *e) { add(state, LOCKSTEP_EVENT_arrive, e->cycle, e->warp); }
static void open(void *state, const struct lockstep_open_event *e)
{
    ((struct all *)state)->waiting += (uint64_t)__builtin_popcountll(e->warps);
    add(state, LOCKSTEP_EVENT_open, e->cycle, e->warps);
}
static void end(void *state, const struct lockstep_end_event *e) { add(state, LOCKSTEP_EVENT_end, e->cycle, e->warp); }
static void wait_begin(void *state, const struct lockstep_wait_begin_event *e)
{
    add(state, LOCKSTEP_EVENT_wait_begin, e->cycle, e->warp + (uint64_t)e->reason[0] * 64);
}
static void wait_end(void *state, const struct lockstep_wait_end_event *e)
{
    add(state, LOCKSTEP_EVENT_wait_end, e->cycle, e->warp + (uint64_t)e->reason[0] * 64);
}
static void report(const struct lockstep_observed *observed, const void *const *states, FILE *to)
{
    static const char *const names[] = {
#define EVENT(name, doc) #name,
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include <lockstep/events.def>
    };
    struct all sum = {0};
    for (uint32_t sm = 0; sm < observed->sms; sm++) {
        const struct all *a = states[sm];
        for (unsigned i = 0; i < LOCKSTEP_OBSERVER_EVENTS; i++)
            sum.count[i] += a->count[i];
        sum.lanes += a->lanes, sum.stored += a->stored, sum.waiting += a->waiting;
        fprintf(to, "all: SM %u %016llx\n", sm, (unsigned long long)a->digest);
    }
    for (unsigned i = 0; i < LOCKSTEP_OBSERVER_EVENTS; i++)
        fprintf(to, "all: %s=%llu\n", names[i], (unsigned long long)sum.count[i]);
    fprintf(to, "all: lanes=%llu\nall: stored=%llu\nall: released=%llu\n", (unsigned long long)sum.lanes, (unsigned long long)sum.stored,
            (unsigned long long)sum.waiting);
}
static const struct lockstep_observer all = {.version = LOCKSTEP_OBSERVER_VERSION, .name = "all", .state_bytes = state_bytes, .report = report,
    .launch = launch, .issue = issue, .access = access, .transaction = transaction, .atomic = atomic, .done = done, .arrive = arrive,
    .open = open, .end = end, .wait_begin = wait_begin, .wait_end = wait_end};
const struct lockstep_observer *lockstep_observer_plugin(void) { return &all; }
C
object all
# value NAME: of the report; stat NAME: of the statistics.
value() { sed -n "s/^all: $1=//p" events; }
stat() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" seen.stats | tail -1; }
# fits TEXT A B: two counts that must be the same, and above 0.
fits() { [ -n "$2" ] && [ "$2" = "$3" ] && [ "$2" -gt 0 ] || wrong "$1: $2 and $3"; }
for case in barimb.yaml ht64.yaml; do
    run seen --observe ./all.so --observe ./issues.so $case
    grep '^all: ' seen >events
    fits "warps that begin and end" "$(value launch)" "$(value end)"
    fits "issues" "$(value issue)" "$(stat warp_instructions)"
    fits "lanes" "$(value lanes)" "$(stat thread_instructions)"
    fits "instructions that are issued and done" "$(value issue)" "$(value done)"
    [ "$(value wait_begin)" = "$(value wait_end)" ] || wrong "waits that begin and end"
    if [ $case = barimb.yaml ]; then
        fits "arrivals and releases" "$(value arrive)" "$(value released)"
        fits "stores" "$(value stored)" "$(stat stores)"
        fits "barriers" "$(value arrive)" "$(stat barriers)"
    else
        [ "$(value atomic)" -gt "$(stat atomics)" ] || wrong "no atomics"
    fi
    in_turn "--no-skip" "--threads 3"
    for how in "${chosen[@]}"; do
        # shellcheck disable=SC2086
        run other --observe ./all.so $how $case
        grep '^all: ' other | cmp - events || wrong "$case: events depend on $how"
    done
done

# Checkpoints have the states; they are continued under the same observers alone.
run seen --observe ./all.so barimb.yaml
grep '^all: ' seen >events
"$LOCKSTEP" run --quiet --observe ./all.so --checkpoint-every 2000 --checkpoint at barimb.yaml >/dev/null || wrong "checkpoints"
run rest --observe ./all.so --resume at
grep '^all: ' rest | cmp - events || wrong "it goes on otherwise from a checkpoint"
expect 2 "it was taken with --observe all.so (content" run --resume at
expect 2 "and is continued with --observe issues.so (content" run --resume at --observe ./issues.so

# What is wrong with it is said at once.
refused() {
    expect 2 "$2" run --observe "$1" barimb.yaml
}
echo "no object" >text.so
echo 'int x;' >empty.c && object empty
refused ./none.so "cannot load the observer ./none.so: "
refused none.so "cannot load the observer none.so: "
refused ./text.so "cannot load the observer ./text.so: "
refused ./empty.so "./empty.so is no observer: it does not define lockstep_observer_plugin"
expect 2 "observers (--observe) need timing mode" run --mode functional --observe ./all.so barimb.yaml
expect 2 "too many observers: 8 are the limit" run $(for _ in 1 2 3 4 5 6 7 8 9; do echo --observe ./all.so; done) barimb.yaml

# One object with all that can be wrong; CULPRIT says which.
cat >culprit.c <<'C'
#include <lockstep/observer.h>
#include <stdlib.h>
static char fault;
static size_t state_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return fault == 'b' ? LOCKSTEP_OBSERVER_STATE + 1 : 8;
}
static void issue(void *state, const struct lockstep_issue_event *event)
{
    volatile unsigned *volatile nothing = 0;
    (void)state;
    if (event->cycle < 100)
        return;
    if (fault == 's')
        *nothing = 1;
    for (volatile int i = fault == 'l'; i;) ;
}
static void report(const struct lockstep_observed *observed, const void *const *states, FILE *to)
{
    volatile unsigned *volatile nothing = 0;
    (void)observed, (void)states, (void)to;
    if (fault == 'r')
        *nothing = 1;
}
static const struct lockstep_observer good = {.version = LOCKSTEP_OBSERVER_VERSION, .name = "culprit", .state_bytes = state_bytes,
    .issue = issue, .report = report};
static const struct lockstep_observer old = {.version = 7, .name = "culprit"}, nameless = {.version = LOCKSTEP_OBSERVER_VERSION};
const struct lockstep_observer *lockstep_observer_plugin(void)
{
    fault = *getenv("CULPRIT");
    return fault == '0' ? 0 : fault == 'o' ? &old : fault == 'n' ? &nameless : &good;
}
C
object culprit
export CULPRIT=0
refused ./culprit.so "./culprit.so is no observer: lockstep_observer_plugin returns nothing"
CULPRIT=old
refused ./culprit.so "./culprit.so was built for version 7 of the observer interface; this is version"
CULPRIT=nameless
refused ./culprit.so "./culprit.so is no observer: it has no name"
CULPRIT=big
refused ./culprit.so "observer culprit: a state of 67108865 bytes for kernel"
fault="the observer culprit is at fault"
CULPRIT=segv
expect 1 "$fault: SIGSEGV in its function issue()" run --observe ./all.so --observe ./culprit.so barimb.yaml
expect 1 "$fault: SIGSEGV in its function issue()" run --threads 2 --observe ./culprit.so barimb.yaml
CULPRIT=report
expect 1 "$fault: SIGSEGV in its function report()" run --observe ./culprit.so barimb.yaml
CULPRIT=loop
LOCKSTEP_PLUGIN_SECONDS=0.3 expect 1 "it does not come back from a loop in its function issue()" run --observe ./culprit.so barimb.yaml

if [ -n "${LOCKSTEP_PRELOAD:-}" ] || ! command -v clang >/dev/null; then
    finish
    exit 0
fi
# A CUDA program finds it from any folder; each launch reports behind what its kernel prints.
cat >p.cu <<'P'
#include <cstdio>
#include <unistd.h>
__global__ void twice(int *x) { x[threadIdx.x] *= 2; if (threadIdx.x + blockIdx.x == 0) printf("from the kernel\n"); }
int main()
{
    int *x, y = 0;
    if (chdir("/")) return 9;
    cudaMalloc(&x, 4096);
    for (int i = 0; i < 2; i++) twice<<<4, 64>>>(x);
    if (cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
    return y;
}
P
"$LOCKSTEP" cc -lineinfo p.cu -o p 2>/dev/null || "$LOCKSTEP" cc p.cu -o p || exit 1
run seen --observe ./issues.so ./p
sum=$(grep -E '^ *[0-9]+  ' seen | grep -F '(p.cu' | awk '{ sum += $1 } END { print sum }')
# Kernels name the figure twice: as a headline, and, further in, among the SM's statistics.
total=$(grep '"warp_instructions"' seen.stats | awk -F: '{ match($0, /^ */); if (!at) at = RLENGTH; if (RLENGTH == at) sum += $2 } END { print sum }')
[ "$sum" = "$total" ] || wrong "the program's issues, $sum, are not those of the statistics, $total"
[ "$(grep -c 'from the kernel' seen)" = 2 ] && head -1 seen | grep -q 'from the kernel' || wrong "what the kernel prints comes first"
# Continued in its second launch, it reports as if it had not been stopped.
run whole --quiet --observe ./issues.so ./p
"$LOCKSTEP" run --quiet --observe ./issues.so --checkpoint-every 500 --checkpoint "at%c" ./p >/dev/null 2>&1 || wrong "checkpoints of a program"
last=$(printf '%s\n' at?* | sort -t t -k 2 -n | tail -1)
[ -f "$last" ] || wrong "there are no checkpoints of the program"
"$LOCKSTEP" run --quiet --observe ./issues.so --resume "$last" ./p >rest 2>&1 || wrong "the program does not go on"
same whole rest "the program's reports depend on a checkpoint"
expect 2 "cannot load the observer ./none.so" run --observe ./none.so ./p
CULPRIT=segv
expect 1 "./p was ended by a fault of its observer" run --observe ./culprit.so ./p
finish
