#!/usr/bin/env bash
# A run by several threads that is looked at, held and stepped meanwhile. Built with the thread sanitizer, a data race fails the run.
. "$LOCKSTEP_SRC/tests/cli/_lib.sh"
. "$LOCKSTEP_SRC/tests/cli/_monitor.sh"
watched "$folder/run" --hold --threads 2 --checkpoint "$folder/at" "$LOCKSTEP_SRC/tests/reference/ht1024.yaml" --max-cycles 12000
until_seen '"state":"paused"'
for ((k = 1; k < 4; k++)); do
    held_after "step?cycles=1500"
    held_after window
    act checkpoint
    until_seen "\"checkpoints_asked\":$k,"
    ask GET "/$token/"
done
act run
wait "$run"
[ $? -eq 4 ] || wrong "the run ends otherwise"
run=
if grep -q 'WARNING: ThreadSanitizer' "$folder/run/err"; then
    cat "$folder/run/err"
    wrong "a data race"
fi
finish
