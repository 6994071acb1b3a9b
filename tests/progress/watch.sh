#!/usr/bin/env bash
# What the progress watch says of try-locks that go round, and of a kernel that does nothing visible for longer than gpu.idle_cycles:
# the same whether cycles are skipped, with threads, and behind a checkpoint.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
cd "$here" || exit 1

# fails NAME CODE OPTIONS...: exit code; what was said goes to $folder/NAME, figures to NAME.json
fails() {
    local name=$1 code=$2 got
    shift 2
    "$LOCKSTEP" run --quiet --stats "$folder/$name.json" "$@" >"$folder/$name" 2>&1
    got=$?
    [ $got -eq "$code" ] || wrong "$name: exit code $got, expected $code: $(head -n 5 "$folder/$name" | cut -c1-200)"
}

has() { grep -qF -- "$2" "$folder/$1" || wrong "$1 does not say '$2': $(cut -c1-300 "$folder/$1")"; }
same() { cmp -s "$folder/$1" "$folder/$2" || wrong "$1 and $2 differ: $(diff "$folder/$1" "$folder/$2" | head -n 6)"; }

in_turn gto lrr
for scheduler in "${chosen[@]}"; do
    fails $scheduler 3 --sched $scheduler --set gpu.watch_cycles=100000 trylock.yaml
    has $scheduler "livelock: locks are taken and given back in vain"
    has $scheduler "3 warps asked as often and never got it"
    has $scheduler "block (9,0,0) warp 0 (SM 9): lane 0 of 32 spin at trylock.ptx"
    has $scheduler "; it asked 12"
    has $scheduler "by 1 warps that give them back"
    has $scheduler "block (6,0,0) warp 0 (SM 6): lane 0 of 32 spin at trylock.ptx:"
    has $scheduler "; it took a lock 12"
    has $scheduler "--seed N"
done
for machine in gtx480-sm2 gtx1080ti; do
    fails $machine 0 --machine $machine --max-cycles 2000000 trylock.yaml
done
fails seeded 0 --seed 1 --max-cycles 2000000 trylock.yaml
fails stepped 3 --no-skip --set gpu.watch_cycles=50000 trylock.yaml
fails threads 3 --threads 2 --set gpu.watch_cycles=50000 trylock.yaml
fails saved 3 --set gpu.watch_cycles=50000 --checkpoint "$folder/state" --checkpoint-every 90000 trylock.yaml
fails resumed 3 --resume "$folder/state" --set gpu.watch_cycles=50000 trylock.yaml
same stepped threads
same stepped saved
same stepped resumed

cd "$folder" || exit 1
cp "$here/idle.ptx" .
sed 's/100000/20000/' "$here/idle.yaml" >idle.yaml
fails long 0 --set gpu.watch_cycles=10000 idle.yaml
fails idle 3 --set gpu.watch_cycles=10000 --set gpu.idle_cycles=100000 idle.yaml
has idle "no visible progress"
has idle "gpu.idle_cycles (0: no limit)"
grep -q '"partial_reason": "hang"' "$folder/idle.json" || wrong "partial_reason of the idle kernel: $(grep partial "$folder/idle.json")"
fails never 0 --set gpu.watch_cycles=10000 --set gpu.idle_cycles=0 idle.yaml
finish
