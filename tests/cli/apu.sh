#!/usr/bin/env bash
# Machines of compute units with 64 lanes on a mesh: reference kernels and programs end right on them, under several schedulers, on one
# thread and on two alike; values cross the mesh in both directions; and what the machine files name is what there is.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
for case in vecadd reduce divergence barimb hist_shared atom_spread; do
    in_turn oldest lrr gto+bows
    for scheduler in "${chosen[@]}"; do
        expect 0 PASS run --machine apu8 --sched "$scheduler" "$case.yaml"
    done
done
[ -z "${LOCKSTEP_LONG:-}" ] || for case in *.yaml; do expect 0 PASS run --machine apu8 "$case"; expect 0 PASS run --machine apu128 "$case"; done
for threads in 1 2 3; do
    "$LOCKSTEP" run --quiet --machine apu128 --threads $threads --stats "$folder/$threads.json" transpose.yaml >/dev/null || wrong "transpose on apu128"
    sed '/"host": {/,/}/d' "$folder/$threads.json" >"$folder/$threads"
done
cmp "$folder/1" "$folder/2" && cmp "$folder/1" "$folder/3" || wrong "threads change a result"
"$LOCKSTEP" machines apu128 >"$folder/apu128.yaml"
for line in "sms: 128" "warp_size: 64" "warps: 40" "scheduler: oldest" "core: mesh" "columns: 16" "rows: 8" "channels: 32"; do
    grep -q "^  $line\( \|\$\)" "$folder/apu128.yaml" || wrong "apu128 has no $line"
done
grep -q "^  l1i_sharers: 4\( \|\$\)" "$folder/apu128.yaml" || wrong "apu128: no shared instruction caches"
# 16 KB, 4 MB and 32 KB for four.
size() { awk -v group="$1:" '$1 == group { on = 1; next } /^[a-z]/ { on = 0 } on { v[$1] = $2 } END { print v["sets:"] * v["ways:"] * v["line_bytes:"] }' "$folder/apu128.yaml"; }
[ "$(size l1d) $(size l2) $(size l1i)" = "16384 131072 32768" ] || wrong "caches: $(size l1d) $(size l2) $(size l1i)"
# SMs that share an instruction cache: a line comes once for all of them. (Threads, skipping, checkpoints: checkpoint.sh.)
misses() {
    "$LOCKSTEP" run --quiet --machine gtx480 --set sm.l1i_sharers="$1" --stats "$folder/shared.json" barimb.yaml >/dev/null || wrong "barimb, $1 share"
    awk '/"l1i": {/ { on = 1 } on && /"read_misses"/ { gsub(/[^0-9]/, ""); print; exit }' "$folder/shared.json"
}
alone=$(misses 1)
[ "$alone" -gt 0 ] || wrong "no misses"
for sharers in 4 5; do
    [ $(($(misses $sharers) * 15)) -eq $((alone * ((15 + sharers - 1) / sharers))) ] || wrong "$sharers share, and miss otherwise"
done
# A mesh that has no place for all is refused with the reason.
expect 2 "sm_nodes must name as many routers as there are SMs" run --machine apu128 --set gpu.sms=127 vecadd.yaml
finish
