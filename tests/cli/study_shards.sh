#!/usr/bin/env bash
# Shards of a study: run apart, joined to the very results of one process; taken up again after a kill; a shard of something else is
# refused; what is missing is named; two processes in one folder wait for each other.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_shards.sh"
cd "$folder" || exit 1
mini_study
expect 0 "page: one/index.html" study ./mini --out one || exit 1
runs=$(sqlite3 one/full.sqlite 'SELECT count(*) FROM executions')
[ "$runs" -eq 13 ] || wrong "the study has $runs runs"

# The command lines of all shards, from any folder.
"$LOCKSTEP" study ./mini --out parts --commands 7 >lines || wrong "--commands ended with $?"
[ "$(wc -l <lines)" -eq 2 ] || wrong "--commands 7 makes $(wc -l <lines) shards"
(cd / && sh -e "$folder/lines" >"$folder/lines.out" 2>&1) || { wrong "the command lines"; cat lines.out; }
ls parts/shards | sort | diff - <(printf '%s-of-2.sqlite\n' 1 2) || wrong "the shards"
expect 0 "runs: 13 of 13 done, 0 failed, 0 not run" study ./mini --out parts --status
expect 0 "page: parts/index.html" study ./mini --out parts --merge
cmp one/results.csv parts/results.csv || wrong "shards give other results"

# One is missing, one was killed on its way and goes on.
rm -rf parts
without_program
grep -v '^count,' one/results.csv >expected.csv
expect 0 "shard 1/2: late/shards/1-of-2.sqlite" study ./mini --out late --shard 1/2 --work "$folder"
expect 1 "shards: 1 of 2 whole; not yet: 2/2" study ./mini --out late --status
expect 1 "shards: 1 of 2 whole; not yet: 2/2" study ./mini --out late --merge
[ "$(ls "$folder" | grep -c '^lockstep-mini-')" -eq 0 ] || wrong "a finished shard leaves its folder"
"$LOCKSTEP" study ./mini --out late --shard 2/2 --work "$folder" --jobs 1 >/dev/null 2>&1 &
pid=$!
for i in $(seq 6000); do
    kill -0 $pid 2>/dev/null || break
    ls lockstep-mini-*/cache/*.out >/dev/null 2>&1 && break
    sleep 0.02
done
kill -KILL $pid
wait $pid
[ $? -eq 137 ] || wrong "the shard ended before it was killed"
expect 1 "shard 2/2: " study ./mini --out late --status
expect 0 "shard 2/2: late" study ./mini --out late --shard 2/2 --work "$folder"
expect 0 "page" study ./mini --out late --merge
cmp expected.csv late/results.csv || wrong "a shard that was killed has other results"

# What is not of this study or simulator is refused by name.
refused() {
    expect 2 "$1" study ./mini --out late --merge
    cmp expected.csv late/results.csv || wrong "a refused shard changed the results"
}
cp late/shards/2-of-2.sqlite kept
sqlite3 late/shards/2-of-2.sqlite "UPDATE shard SET identity = 'other'"
refused "late/shards/2-of-2.sqlite was made by another simulator: other"
cp kept late/shards/2-of-2.sqlite
sqlite3 late/shards/2-of-2.sqlite "UPDATE shard SET definition = '77'"
refused "late/shards/2-of-2.sqlite is of another definition of the study: what runs is 77 there"
echo nothing >late/shards/2-of-2.sqlite
refused "late/shards/2-of-2.sqlite"
expect 2 "is not I/N" study ./mini --shard 3/2
expect 2 "give one of them" study ./mini --merge --list
expect 2 "those of --slurm" study ./mini -- -p fast

# Two processes in one folder: the second waits for the first, or gives up.
rm -rf late
exec 9>one/cache/lock
flock 9
expect 2 "another lockstep study is still at work in one after 0 seconds" study ./mini --out one --wait 0.2
"$LOCKSTEP" study ./mini --out one >out.txt 2>err.txt 9>&- &
pid=$!
for i in $(seq 6000); do
    grep -q "waiting for it" err.txt && break
    kill -0 $pid 2>/dev/null || break
    sleep 0.05
done
exec 9>&-
wait $pid || { wrong "the one that waited ended with $?"; cat err.txt; }
grep -qF "page: one/index.html" out.txt || wrong "the one that waited has no page"
finish
