#!/usr/bin/env bash
# tune: latencies that were changed are found again from rows that the machine as it was gave; the same on any number of threads and jobs.
. "$(dirname "$0")/_lib.sh"
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
cd "$folder" || exit 1
head='what,type,parameter,median,least,unit,repetitions'
printf 'base: h100\n# a machine of my own\nsm: # an SM\n  shared_latency: 33   # a guess\n  barrier_latency: 25\n' >off.yaml
export XDG_CACHE_HOME=$folder/cache
# What h100 does is what the card does.
mkdir -p cards/mine
printf 'cards:\n  mine: a machine\nmachines:\n  h100:\n    mine: all\n' >cards/cards.yaml
printf '%s\n' "$head" "shared chain; stride,ld.shared.u32,1,1,1,cycles,1" >cards/mine/memory.csv
printf '%s\n' "$head" "__syncthreads; warps,bar.sync,1,1,1,cycles,1" >cards/mine/sync.csv
"$LOCKSTEP" validate --hardware h100 --set gpu.sms=1 --kind conflicts --kind barriers --reference cards --out kept >/dev/null || wrong "validate"
cp kept/h100/memory.csv kept/h100/sync.csv .

one() { "$LOCKSTEP" tune off.yaml --set gpu.sms=1 --from memory.csv sync.csv "$@" 2>errors; }
both=(--kind conflicts --kind barriers --fit sm.shared_latency=4..60 --fit sm.barrier_latency=3..50/3)
one "${both[@]}" -o one.yaml --stats one.json --jobs 1 --threads 1 >one.txt || wrong "tune: $(cat errors)"
one "${both[@]}" -o two.yaml --stats two.json --jobs 2 --threads 2 >two.txt || wrong "tune on two threads: $(cat errors)"
for kind in yaml json txt; do
    cmp -s one.$kind two.$kind || wrong "jobs and threads change the result: $(diff one.$kind two.$kind)"
done
grep -q '^  shared_latency: 21  *# \[F\] memory.csv: shared chain; stride, .* rows, 0.0% off' one.yaml || wrong "shared_latency: $(cat one.yaml)"
grep -q '^  barrier_latency: 12  *# \[F\].*; [0-9]* left out, 0.0%' one.yaml || wrong "barrier_latency: $(cat one.yaml)"
[ "$(sed -n '1,3p' one.yaml)" = "$(sed -n '1,3p' off.yaml)" ] || wrong "other lines have changed: $(cat one.yaml)"
expect 0 "shared_latency: 21 " machines one.yaml
grep -q '"left_out": true' one.json && grep -q '"budget_spent": false' one.json || wrong "the JSON lacks something"
[ -s errors ] && wrong "progress in a file: $(cat errors)"

# A machine that comes with Lockstep becomes a base; parameters of its own rows are looked for with fewer runs; nothing is left out.
"$LOCKSTEP" tune h100 --set gpu.sms=1 --from memory.csv --leave-out 0 --fit 'sm.shared_latency=4..60@memory/shared chain*' -o - >based.yaml 2>based.txt || wrong "tune h100"
grep -q '^base: h100$' based.yaml && grep -q '^  shared_latency: 21 .*memory.csv: shared chain; stride (' based.yaml || wrong "$(cat based.yaml)"
expect 0 "shared_latency: 21 " machines based.yaml
# The machine's own `tune:`, a budget that ends early, and a file that is replaced.
printf 'tune:\n  sm.shared_latency: {range: 4..60, rows: [memory/shared chain*, none]}\nl1d:\n  ways: 12\n' >>off.yaml
expect 0 "the budget was spent before the end" tune off.yaml --set gpu.sms=1 --from memory.csv --kind conflicts --budget 5 -o off.yaml --force
grep -q '^tune:$' off.yaml && grep -q '^  ways: 12$' off.yaml && grep -q '^  shared_latency: .*# \[F\]' off.yaml || wrong "$(cat off.yaml)"
expect 0 "shared_latency: " machines off.yaml
finish
