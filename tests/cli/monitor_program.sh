#!/usr/bin/env bash
# Programs that are watched: kernel by kernel, held, stepped and saved. Output and statistics are those of a program that nobody
# watches, and it goes on from checkpoints that the page asked for.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_monitor.sh"
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1
"$LOCKSTEP" cc "$LOCKSTEP_SRC/tests/cuda/checkpoint.cu" -o many || exit 1
options=(--machine gtx480-sm2)
"$LOCKSTEP" run --quiet --stats plain.json "${options[@]}" ./many 2 >plain.out
plain=$?
{ without_host plain.json && cat plain.out; } >plain

# The program ends with a code of its own.
ends() {
    wait "$run"
    [ $? -eq $plain ] || { cat "$1/err"; wrong "it ends with another code than $plain"; }
    run=
    { without_host "$1/json" && cat "$1/out"; } >"$1/result"
    cmp plain "$1/result" || wrong "$1: it was watched, and ends otherwise"
}

watched first --hold --checkpoint 'at.%c' "${options[@]}" ./many 2
grep -q "$token" "/proc/$run/environ" "/proc/$(pgrep -P "$run" | head -n 1)/environ" && wrong "the token is in the environment"
until_seen '"state":"paused"'
[ "$(number cycle)" -eq 0 ] && [ "$(number launch)" -eq 0 ] || wrong "it begins so: $state"
first=$(word kernel)
held_after "step?cycles=2000"
act checkpoint
until_seen '"error":null'
held_after "step?cycles=1000000000000"
[ "$(word state)" = ended ] && [[ $state == *"\"kernel\":\"$first\",\"launch\":0"* ]] || wrong "not at the first launch's end: $state"
sleep 0.3
look
[ "$(word state)" = ended ] || wrong "it went on by itself: $state"
held_after "step?cycles=1"
[ "$(number launch)" -eq 1 ] && [ "$(word state)" = paused ] && [ "$(number cycle)" -lt 100 ] || wrong "not in the second launch: $state"
held_after "step?cycles=1500"
act checkpoint
until_seen "\"checkpoints_asked\":2"
act run
ends first
n=0
for file in at.*; do
    "$LOCKSTEP" run --quiet --allow-code --resume "$file" --stats rest.json >rest.out 2>rest.err
    [ $? -eq $plain ] || { cat rest.err; wrong "from $file it ends with another code"; }
    { without_host rest.json && cat rest.out; } >rest
    cmp plain rest || wrong "it goes on otherwise from $file"
    n=$((n + 1))
done
[ "$n" -eq 2 ] || wrong "there are $n checkpoints"

# Without --checkpoint nothing is noted, and a program that nobody holds runs to its end.
watched second "${options[@]}" ./many 2
ask POST "/$token/checkpoint"
[ "$code" = 409 ] || [ -z "$code" ] || wrong "a checkpoint without a name is answered $code"
ends second

# The program is killed while it is held: the page goes on to answer until the run has ended, which it then does.
watched third --hold "${options[@]}" ./many 2
until_seen '"state":"paused"'
kill -KILL "$(pgrep -P "$run" | head -n 1)"
wait "$run"
[ $? -eq 137 ] || wrong "a program that is killed ends otherwise"
run=
expect 5 "max-seconds" run --quiet --monitor 0 --hold --max-seconds 0.5 ./many 2
finish
