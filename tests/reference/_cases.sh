# _cases.sh MACHINE: every launch file of this folder on MACHINE: timed, on gtx480 under both schedulers, elsewhere under one, by turns
# (with LOCKSTEP_LONG under both), and in functional mode, which has none, on gtx480 (with LOCKSTEP_LONG on each). Each run's checks must pass, and its cycles be those of
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

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
declare -A golden
while read -r case on sched counts; do
    [ "$on" != "$machine" ] || golden[$case $sched]=$counts
done <../golden/cycles.txt

# counted FILE: to `counts` its first number of cycles and the number of warp instructions behind it.
counted() {
    local name value
    counts=
    while IFS=' :,' read -r name value _; do
        case $name in
        '"cycles"') counts=$value ;;
        '"warp_instructions"') counts="$counts $value" && return ;;
        esac
    done <"$1"
}

# one SCHED MODE CASE: a run; no process beside it, of which there are hundreds.
one() {
    local sched=$1 mode=$2 case=$3 output code expected counts may_hang='^3 (gtx480 lrr|gtx1080ti (lrr|gto)) timing atm\.yaml$'
    local stats=$folder/$BASHPID.json
    output=$("$LOCKSTEP" run --machine "$machine" --sched "$sched" --mode "$mode" --stats "$stats" "$case" 2>&1)
    code=$?
    if [ "$code" -eq 0 ] && [ "$mode" = timing ]; then
        expected=${golden[${case%.yaml} $sched]:-}
        counted "$stats"
        [ -z "$expected" ] || [ "$expected" = "$counts" ] || {
            printf '%s %s %s, expected: %s\nfound: %s\nif the change of timing is meant: tests/golden/cycles.sh --update, and say why in the commit\n' \
                "$case" "$machine" "$sched" "$expected" "$counts"
            return 1
        }
    fi
    if [ "$code" -eq 0 ]; then
        [[ $'\n'$output == *$'\n'PASS* ]] && return 0
    elif [[ "$code $machine $sched $mode $case" =~ $may_hang ]]; then
        [[ $output =~ spin\ at\ atm\.ptx[^$'\n']*held\ by ]] && return 0
    fi
    printf '%s\nFAILED with exit code %s: %s --sched %s --mode %s %s\n' "$output" "$code" "$machine" "$sched" "$mode" "$case"
    return 1
}

# each WAY: of the runs in `list` those of one of two ways, which go on beside each other.
each() {
    local i bad=0
    for ((i = $1; i < ${#list[@]}; i += 2)); do
        # shellcheck disable=SC2086 # words
        one ${list[i]} || bad=1
    done
    return $bad
}

list=()
for case in *.yaml; do
    [ "$case" != ht64full.yaml ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue
    in_turn lrr gto
    [ "$machine" != gtx480 ] || chosen=(lrr gto)
    for sched in "${chosen[@]}"; do list+=("$sched timing $case"); done
    # It knows no cycles: the other machines do in it what the first does.
    [ "$machine" != gtx480 ] && [ -z "${LOCKSTEP_LONG:-}" ] || list+=("gto functional $case")
done
[ "${#list[@]}" -ge 30 ] || { echo "only ${#list[@]} runs"; exit 1; }
each 0 &
first=$! failed=0
each 1 || failed=1
wait $first || failed=1
[ $failed -eq 0 ] || exit 1
echo "${#list[@]} runs passed on $machine"
