# _cases.sh MACHINE: every launch file of this folder on MACHINE: timed, on gtx480 under both schedulers, elsewhere under one, by turns
# (with LOCKSTEP_LONG under both), and in functional mode, which has none. Each run's checks must pass, and its cycles be those of
# tests/golden/cycles.txt, where that has a row for it. Sourced by the scripts beside it.
#
# atm takes two locks in no fixed order, and a machine without any jitter can keep a few of its threads refusing each other for ever:
# LRR on gtx480 does, as in GPGPU-Sim 3.2.2, and gtx1080ti, where four SMs keep step. There the run may also end with the diagnosis
# of a hang (exit code 3).
#
# ht64full takes longer than all the others together and says little more than ht64: with LOCKSTEP_LONG only.
set -uo pipefail
. "$LOCKSTEP_SRC/tests/_effort.sh"
machine=$1
cd "$LOCKSTEP_SRC/tests/reference" || exit 1

one() {
    local machine=$1 sched=$2 mode=$3 case=$4 output code may_hang='^3 (gtx480 lrr|gtx1080ti (lrr|gto)) timing atm\.yaml$'
    local stats golden counts
    stats=$(mktemp)
    output=$("$LOCKSTEP" run --machine "$machine" --sched "$sched" --mode "$mode" --stats "$stats" "$case" 2>&1)
    code=$?
    counts=$(sed -n 's/^ *"\(cycles\|warp_instructions\)": *\([0-9][0-9]*\),*$/\2/p' "$stats" | head -n 2 | tr '\n' ' ')
    rm -f "$stats"
    if [ "$code" -eq 0 ] && [ "$mode" = timing ]; then
        golden=$(grep "^${case%.yaml} $machine $sched " ../golden/cycles.txt)
        [ -z "$golden" ] || [ "${golden##* "$sched" } " = "$counts" ] || {
            printf 'expected: %s\nfound: %s\nif the change of timing is meant: tests/golden/cycles.sh --update, and say why in the commit\n' \
                "$golden" "$counts"
            return 1
        }
    fi
    if [ "$code" -eq 0 ]; then
        grep -q '^PASS' <<<"$output" && return 0
    elif [[ "$code $machine $sched $mode $case" =~ $may_hang ]]; then
        grep -q 'spin at atm.ptx.*held by' <<<"$output" && return 0
    fi
    printf '%s\nFAILED with exit code %s: %s --sched %s --mode %s %s\n' "$output" "$code" "$machine" "$sched" "$mode" "$case"
    return 1
}
export -f one

list=$(mktemp)
trap 'rm -f "$list"' EXIT
for case in *.yaml; do
    [ "$case" != ht64full.yaml ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue
    in_turn lrr gto
    [ "$machine" != gtx480 ] || chosen=(lrr gto)
    printf "$machine %s timing $case\n" "${chosen[@]}"
    echo "$machine gto functional $case"
done >"$list"
runs=$(wc -l <"$list")
[ "$runs" -ge 60 ] || { echo "only $runs runs"; exit 1; }
xargs -P 2 -L 1 bash -c 'one "$@"' one <"$list" || exit 1
echo "$runs runs passed on $machine"
