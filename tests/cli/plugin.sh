#!/usr/bin/env bash
# Warp schedulers from shared objects: the examples build with the installed header and run, alone and with all that goes with a
# run; what is wrong with an object is said before anything runs, and a wrong pick ends the run as the policy's fault.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
wrong() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
cases=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1
little_locks .
cmake --install "$LOCKSTEP_BUILD" --prefix "$folder/installed" >install.log 2>&1 || { cat install.log; exit 1; }

# object NAME: builds NAME.so from NAME.c.
object() {
    cc -O2 -Wall -Wextra -Werror -shared -fPIC -I installed/include -o "$1.so" "$1.c" || exit 1
}

# run TO OPTIONS...: the statistics without the members of "host" objects and without the scheduler's name, in one file.
run() {
    local to=$1
    shift
    "$LOCKSTEP" run --quiet --stats "$to.json" "$@" >"$to.out" 2>&1 || { wrong "$*"; cat "$to.out"; }
    awk '/"host": \{/ { inside = 1 } !inside && !/"scheduler": / { print } inside && /\}/ { inside = 0 }' "$to.json" >"$to"
}

same() {
    cmp "$1" "$2" || wrong "$3"
}

# The examples as their page says, word for word, in a copy of the folders that it names.
mkdir -p tree/examples tree/build/release && cp -r "$LOCKSTEP_SRC/examples/scheduler" tree/examples/
ln -s "$LOCKSTEP_SRC/include" tree/include && ln -s "$LOCKSTEP_SRC/tests" tree/tests && ln -s "$LOCKSTEP_BUILD/bin" tree/build/release/bin
grep '^    [c.]' tree/examples/scheduler/README.md | sed 's/$/ || exit 1/' >commands
[ "$(wc -l <commands)" -eq 4 ] || wrong "the page of the examples has other commands"
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
for how in "--threads 3" "--no-skip" "--set sm.fetch=cff"; do
    # shellcheck disable=SC2086
    run other --sched nearest.so --fetch cff $how "$cases/barimb.yaml"
    same near other "with blocks, the results depend on $how"
done
grep -q '"scheduler_bits": 96,*$' near || wrong "it does not say what it takes"
run other --sched gto --fetch cff "$cases/barimb.yaml"
cmp -s near other && wrong "it is gto"
grep -q scheduler_bits other && wrong "gto says what it takes"
expect 0 "" run --sched ./nearest.so+bows --fetch fef ht64.yaml

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
for how in "--threads 2" "--no-skip"; do
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
number=0
# refuse TEXT FIELDS: an object with these fields instead.
refuse() {
    number=$((number + 1))
    sed "s/\.version = [A-Z_]*,/.version = LOCKSTEP_SCHEDULER_VERSION, OTHERS/; 1a #define OTHERS $2" turns.c >"wrong$number.c"
    cc -O2 -w -shared -fPIC -I installed/include -o "wrong$number.so" "wrong$number.c" || exit 1
    refused "./wrong$number.so" "$1"
}
sed -i 's/\.reset = reset, \.pick = pick, //; s/\.state_bytes = sizeof(unsigned), //; s/\.name = "turns",//' turns.c
good='.name = "n", .reset = reset, .pick = pick,'
refuse "was built for version 1 of the scheduler interface; this is version" "$good .version = 1,"
refuse "was built for version 2 of the scheduler interface; this is version 5" "$good .version = 2,"
refuse "was built for version 3 of the scheduler interface; this is version 5" "$good .version = 3,"
refuse "was built for version 4294967295 of the scheduler interface; this is version" "$good .version = -1,"
refuse "must have the functions reset and pick" '.name = "n", .pick = pick,'
refuse "must have the functions reset and pick" '.name = "n", .reset = reset,'
refuse "it has no name" '.reset = reset, .pick = pick,'
refuse "a state of 65537 bytes is too large" "$good .state_bytes = 65537,"
refuse "it needs something that this Lockstep does not know" "$good .needs = 128,"
refuse "the initial value of an option is none that the option can have" \
    "$good .options = (const struct lockstep_scheduler_option[]){{.name = \"o\", .minimum = 1, .maximum = 2}, {0}},"
refuse "an option begins with a parameter that is no number of sm" \
    "$good .options = (const struct lockstep_scheduler_option[]){{.name = \"o\", .maximum = 9, .parameter = \"none\"}, {0}},"
sed 's/return &turns/return 0/' turns.c >nothing.c
cc -w -shared -fPIC -I installed/include -o nothing.so nothing.c || exit 1
refused ./nothing.so "lockstep_scheduler_plugin returns nothing"

# A pick that was not ready.
for pick in 'view->ready \& 1 ? 1 : 0' 63 65 4294967295; do
    sed "s/static void issued/static unsigned bad(const void *state, const struct lockstep_scheduler_view *view)\n{\n    return view->cycle > 100 ? $pick : pick(state, view);\n}\n&/; s/\.version = [A-Z_]*,/& .name = \"astray\", .state_bytes = 64, .reset = reset, .pick = bad,/" turns.c >astray.c
    cc -w -shared -fPIC -I installed/include -o astray.so astray.c || exit 1
    in_turn "--threads 1" "--threads 3" "--no-skip"
    for how in "${chosen[@]}"; do
        # shellcheck disable=SC2086
        expect 1 "the warp scheduler astray is at fault: it picked warp slot" run $how --sched ./astray.so "$cases/reduce.yaml"
    done
done
expect 1 "which was not ready" run --sched ./astray.so+bows ht64.yaml

# One that never picks anybody lets the launch hang, which is said.
sed "s/static void issued/static unsigned nobody(const void *state, const struct lockstep_scheduler_view *view)\n{\n    return state \&\& view ? LOCKSTEP_NO_WARP : pick(state, view);\n}\n&/; s/\.version = [A-Z_]*,/& .name = \"lazy\", .state_bytes = 64, .reset = reset, .pick = nobody,/" turns.c >lazy.c
cc -w -shared -fPIC -I installed/include -o lazy.so lazy.c || exit 1
expect 4 "max-cycles" run --max-cycles 5000 --sched ./lazy.so "$cases/reduce.yaml"
expect 3 "made no progress" run --set gpu.watch_cycles=20000 --sched ./lazy.so "$cases/reduce.yaml"

# A CUDA program finds it from any folder.
# A fault inside the object is the object's: it is named, with the function that was called; so is a loop that does not end, and that it never
# picks warps that could go on.
bad() {
    sed "s/PICK/$2/" >"bad_$1.c" <<'P'
#include <lockstep/scheduler.h>
#include <stdlib.h>
static void reset(void *state, const struct lockstep_scheduler_setup *setup) { (void)state, (void)setup; }
static unsigned pick(const void *state, const struct lockstep_scheduler_view *view) { (void)state, (void)view; PICK }
static const struct lockstep_scheduler policy = {
    .version = LOCKSTEP_SCHEDULER_VERSION, .name = "culprit", .doc = "bad", .reset = reset, .pick = pick};
const struct lockstep_scheduler *lockstep_scheduler_plugin(void) { return &policy; }
P
    object "bad_$1"
}
bad segv 'volatile unsigned *volatile nothing = 0; return *nothing;'
bad abort 'abort();'
bad loop 'for (volatile int i = 1; i;) ; return 0;'
bad never 'return LOCKSTEP_NO_WARP;'
expect 1 "the warp scheduler culprit is at fault: SIGSEGV in its function pick()" run --sched ./bad_segv.so "$cases/reduce.yaml"
expect 1 "the warp scheduler culprit is at fault: SIGABRT in its function pick()" run --threads 2 --sched ./bad_abort.so "$cases/reduce.yaml"
LOCKSTEP_PLUGIN_SECONDS=0.3 expect 1 "it does not come back from a loop in its function pick()" run --sched ./bad_loop.so "$cases/reduce.yaml"
expect 3 "culprit never picks any of" run --sched ./bad_never.so --set gpu.watch_cycles=1000 --set sm.age_rotation=100 "$cases/reduce.yaml"

if [ -n "${LOCKSTEP_PRELOAD:-}" ] || ! command -v clang >/dev/null; then
    finish
    exit 0
fi
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
expect 3 "the warp scheduler astray is at fault" run --sched ./astray.so ./p
expect 3 "the warp scheduler astray is at fault" run --set sm.scheduler=./astray.so ./p
printf 'base: gtx480\nsm:\n  scheduler: ./astray.so\n' >astray.yaml
expect 3 "the warp scheduler astray is at fault" run --allow-code --machine astray.yaml ./p
expect 3 "the warp scheduler astray is at fault" run --set sm.scheduler=gto --sched ./astray.so ./p
expect 0 "no error" run --set sm.scheduler=./astray.so --sched gto ./p
expect 2 "cannot load the warp scheduler ./none.so" run --sched ./none.so ./p
expect 1 "./p was ended by a fault of its warp scheduler" run --sched ./bad_segv.so ./p
finish
