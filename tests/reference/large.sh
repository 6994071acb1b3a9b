#!/usr/bin/env bash
# Devices of more SMs, channels and slices than a word has bits, and cores whose channels are long: the cases give the right values,
# and the JSON is the same but for `host` with 1 thread and with 2 or 4, or stepped (by turns; with LOCKSTEP_LONG all of these), with a seed,
# and continued from a checkpoint with another number of threads.
. "$(dirname "$0")/_json.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"

failed=0 runs=0
# same CASE OPTIONS...
same() {
    local other
    json "$folder/one" "$@" || exit 1
    grep -q '"cycles"' "$folder/one" || exit 1
    in_turn "--threads 2" "--no-skip" "--threads 4"
    for other in "${chosen[@]}"; do
        # shellcheck disable=SC2086
        json "$folder/other" "$@" $other || exit 1
        runs=$((runs + 1))
        cmp "$folder/one" "$folder/other" || { echo "$* $other gives another result"; failed=1; }
    done
}

slices128=(--set partition.channels=32 --set partition.slices_per_channel=4)
slices256=(--set partition.channels=128 --set partition.slices_per_channel=2)
same vecadd.yaml --set gpu.sms=128 "${slices128[@]}"
same vecadd.yaml --set gpu.sms=256 "${slices256[@]}"
same transpose.yaml --set gpu.sms=256 --set partition.channels=256 --set partition.slices_per_channel=1 --seed 5
same ht64.yaml --machine gtx480-sm2 --set gpu.sms=65
same bfs.yaml --set gpu.sms=1 "${slices256[@]}"
same reduce.yaml --set gpu.sms=128 --set network.core=ideal --set network.latency=66 "${slices128[@]}"
same bfs.yaml --set network.core=ideal --set network.latency=21 --set gpu.network_mhz=900
# Values at issue go round the messages: one thread simulates all domains of the device.
same vecadd.yaml --set gpu.sms=100 --set sm.values_at_issue=true
[ "$runs" -ge 8 ] || { echo "only $runs runs"; exit 1; }

large=(--set gpu.sms=200 "${slices128[@]}")
json "$folder/one" vecadd.yaml "${large[@]}" --threads 2 --checkpoint-every 3000 --checkpoint "$folder/at" || exit 1
"$LOCKSTEP" run --quiet --resume "$folder/at" --threads 4 --stats "$folder/on.json" >"$folder/on.out" 2>&1 || { cat "$folder/on.out"; exit 1; }
cycles() { grep -m 1 '"cycles"' "$1"; }
[ "$(cycles "$folder/one")" = "$(cycles "$folder/on.json")" ] || { echo "a continued run ends otherwise"; failed=1; }
exit $failed
