#!/usr/bin/env bash
# tune: what is refused before anything runs.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
head='what,type,parameter,median,least,unit,repetitions'
printf '%s\n' "$head" "shared chain; stride,ld.shared.u32,1,22,22,cycles,7" "shared chain; stride,ld.shared.u32,2,23,23,cycles,7" >memory.csv
printf '%s\n' "$head" "nanosleep; ns,one warp,0,120,116,cycles,7" >sync.csv
printf 'base: h100\n# a machine of my own\nsm: # an SM\n  shared_latency: 33   # a guess\n  barrier_latency: 25\n' >off.yaml
fit=(--fit sm.shared_latency=4..60)
refused() { expect 2 "$1" tune "${@:2}"; }

refused "lockstep tune needs a machine"
refused "there is no machine named h101" h101 --from memory.csv "${fit[@]}"
refused "nothing says which parameters of h100 to fit" h100 --from memory.csv
refused "nothing says to which rows to fit off.yaml" off.yaml "${fit[@]}"
refused "did you mean 'sm.shared_latency'" off.yaml --from memory.csv --fit sm.share_latency=4..60
refused "sm.shared_latency = 9999 is out of range (1 to 256 cycles)" off.yaml --from memory.csv --fit sm.shared_latency=4..9999
refused "sm.shared_latency is 33 in off.yaml, outside of 40..60" off.yaml --from memory.csv --fit sm.shared_latency=40..60
refused "its end is not above its beginning" off.yaml --from memory.csv --fit sm.shared_latency=40..40
refused "'40' is no range" off.yaml --from memory.csv --fit sm.shared_latency=40
refused "'x' is no step" off.yaml --from memory.csv --fit sm.shared_latency=4..60/x
refused "--fit sm.shared_latency names no range" off.yaml --from memory.csv --fit sm.shared_latency
refused "sm.direct is no number" off.yaml --from memory.csv --fit sm.direct=0..1
refused "is given twice" off.yaml --from memory.csv "${fit[@]}" "${fit[@]}"
refused "sm.shared_latency is to be fitted, and is set" off.yaml --from memory.csv "${fit[@]}" --set sm.shared_latency=33
refused "no program measures 'mine.csv'" off.yaml --from mine.csv "${fit[@]}"
refused "rates.csv" off.yaml --from rates.csv "${fit[@]}"
refused "no run gives such rows" off.yaml --from sync.csv "${fit[@]}"
refused "no run gives the rows that are called sync/*" off.yaml --from sync.csv memory.csv --fit 'sm.shared_latency=4..60@sync/*'
refused "no rows are called memory/chain" off.yaml --from memory.csv --fit 'sm.shared_latency=4..60@memory/chain'
refused "there is no card with measurements 'h10'" off.yaml --card h10 "${fit[@]}"
refused "--leave-out x: expected a number of rows" off.yaml --from memory.csv "${fit[@]}" --leave-out x
refused "--budget 1: 2 runs are needed to begin and to end, and 2 to see what changes what" off.yaml --from memory.csv "${fit[@]}" --budget 1
refused "-o off.yaml: it is there" off.yaml --from memory.csv "${fit[@]}" -o off.yaml
mkdir bad
printf '%s\n' "$head" "shared chain; stride,ld.shared.u32,1,22,22,cycles" >bad/memory.csv
refused "bad/memory.csv:2: error: a row without the 7 columns" off.yaml --from bad/memory.csv "${fit[@]}"
printf 'tune:\n  sm.shared_latency: 4..60\n  sm.barrier_latncy: 4..60\n' >fit.yaml
refused "fit.yaml:3:22: error: there is no parameter 'sm.barrier_latncy'" off.yaml --from memory.csv --fit-file fit.yaml
printf 'tune:\n  sm.shared_latency: {range: 4..60, row: memory/*}\n' >fit.yaml
refused "fit.yaml:2:37: error: 'row' says nothing of a fit" off.yaml --from memory.csv --fit-file fit.yaml
refused "off.yaml:1:1: error: no \`tune:\`" off.yaml --from memory.csv --fit-file off.yaml
printf 'base: h100\nsm: {shared_latency: 33}\n' >flow.yaml
refused "flow.yaml:2:22: error: sm.shared_latency cannot be changed here" flow.yaml --from memory.csv "${fit[@]}" -o new.yaml
[ -e new.yaml ] && wrong "a machine file was written"

finish
