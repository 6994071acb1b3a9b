#!/usr/bin/env bash
# Back-off over every scheduler, fed by every detector: neither threads nor skipped cycles change anything, checkpoints continue it,
# every cycle has an owner; programs that do not spin notice nothing; a marked lock loop is found by all detectors.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
cases=$LOCKSTEP_SRC/tests/reference

# value FILE NAME: the first kernel's member of that name. of FILE GROUP NAME: a member of its group of that name.
value() {
    sed -n "/\"kernels\"/,\$ s/^ *\"$2\": \([0-9]*\).*/\1/p" "$1" | head -n 1
}
of() {
    awk -v group="\"$2\": {" -v name="\"$3\":" '/"kernels"/ { kernels = 1 } kernels && index($0, group) { inside = 1 }
        inside && $1 == name { print $2 + 0; exit }' "$1"
}

# owned FILE: every cycle of every scheduler (15 SMs with two) is an issue or has one cause.
owned() {
    awk '/"kernels"/ { kernels = 1 } kernels && /"cycles":/ && !cycles { cycles = $2 + 0 } kernels && /"stalls": \{/ { inside = 1; next }
        inside && /\}/ { exit } inside { sum += $2 } END { exit sum != cycles * 30 || !sum }' "$1" || wrong "cycles without owner: $2"
}

# steady WHAT OPTIONS...: the same with threads, and without skipping, by turns.
steady() {
    local what=$1 how
    shift
    json "$folder/one" "$@" || return
    owned "$folder/one" "$*"
    [ "$(of "$folder/one" spin backoffs)" -gt 0 ] || [ "$what" = free ] || wrong "$*: nobody is backed off"
    in_turn "--threads 2" "--threads 3" "--no-skip"
    for how in "${chosen[@]}"; do
        # shellcheck disable=SC2086
        json "$folder/other" $how "$@" && { cmp "$folder/one" "$folder/other" || wrong "$*: $how changes results"; }
    done
    runs=$((runs + 1))
}
runs=0
# As ht64, with one block for each SM.
cp "$cases/ht.ptx" "$cases/waitsignal."{ptx,yaml} "$folder/"
sed 's/^grid: .*/grid: [15]/; /buffer: links/d' "$cases/ht64.yaml" >"$folder/ht15.yaml"
schedulers="lrr gto cawa tls mwf"
if command -v cc >/dev/null; then
    cc -O2 -shared -fPIC -I "$LOCKSTEP_SRC/include" -o "$folder/youngest.so" "$LOCKSTEP_SRC/examples/scheduler/youngest.c" || exit 1
    schedulers="$schedulers $folder/youngest.so"
fi
for scheduler in $schedulers; do
    in_turn ht15 waitsignal
    for case in "${chosen[@]}"; do
        what=spins
        [ $case = ht15 ] || what=free
        steady $what --machine gtx480 --sched "$scheduler+bows" "$folder/$case.yaml"
    done
done
for case in ht1024 atm_ordered; do
    sed 's/^grid: .*/grid: [8]/; /^check/,$d' "$cases/$case.yaml" >"$folder/$case.yaml"
    cp "$cases/$(sed -n 's/^ptx: //p' "$cases/$case.yaml")" "$folder/"
done
steady spins --machine gtx480 --sched gto+bows "$folder/ht1024.yaml"
steady spins --machine gtx480 --sched lrr+bows "$folder/atm_ordered.yaml"
steady spins --machine gtx480 --sched gto+bows --set spin.order=scheduler --set spin.counts=first --set spin.shares=true "$folder/ht15.yaml"

# The loop of ht, marked.
sed 's/^\(.*bra.*BB0_3;\)/.pragma "lockstep.spin";\n\1/' "$cases/ht.ptx" >"$folder/ht.ptx"
cp "$folder/ht15.yaml" "$folder/marked.yaml"
[ -z "${LOCKSTEP_LONG:-}" ] || cp "$cases/ht64.yaml" "$folder/marked.yaml"
for detector in ddos static oracle; do
    steady spins --machine gtx480 --sched gto+bows --set spin.detector=$detector "$folder/marked.yaml"
    file=$folder/one
    [ "$(of "$file" spin true_met)" = 15 ] && [ "$(of "$file" spin true_found)" = 15 ] || wrong "$detector does not find the loop on every SM"
    [ "$(of "$file" spin false_found)" = 0 ] || wrong "$detector finds loops that do not spin"
done
json "$folder/one" --machine gtx480 --sched gto+bows --set spin.truth=oracle "$folder/ht15.yaml"
[ "$(of "$folder/one" spin true_found)" = 15 ] || wrong "the oracle does not see what DDOS found"

# Who measures only changes no cycle.
json "$folder/one" --machine gtx480 --sched gto "$folder/ht15.yaml"
json "$folder/other" --machine gtx480 --sched gto --set spin.measure=true "$folder/ht15.yaml"
[ "$(value "$folder/one" cycles)" = "$(value "$folder/other" cycles)" ] || wrong "measuring takes time"
[ "$(of "$folder/one" spin branches)" = 0 ] && [ "$(of "$folder/other" spin branches)" -gt 0 ] || wrong "what is measured"
[ "$(of "$folder/other" spin backoffs)" = 0 ] || wrong "back-off without a control"

# Nothing spins, nothing changes.
quiet="reduce scan divergence"
[ -z "${LOCKSTEP_LONG:-}" ] || quiet="$quiet vecadd matmul"
for case in $quiet; do
    in_turn lrr gto
    for scheduler in "${chosen[@]}"; do
        json "$folder/one" --machine gtx480 --sched $scheduler "$cases/$case.yaml"
        json "$folder/other" --machine gtx480 --sched $scheduler+bows "$cases/$case.yaml"
        [ "$(value "$folder/one" cycles)" = "$(value "$folder/other" cycles)" ] && [ "$(value "$folder/one" cycles)" -gt 0 ] ||
            wrong "$case takes other cycles under $scheduler+bows"
        [ "$(of "$folder/other" spin backoffs)" = 0 ] || wrong "$case is backed off"
    done
done

# continues SCHEDULER DETECTOR OPTIONS...: from two checkpoints (with LOCKSTEP_LONG, eight) to the same end.
continues() {
    local n=0 how every
    set -- --machine gtx480 --sched "$1" --set spin.detector="$2" "${@:3}" "$folder/marked.yaml"
    rm -f "$folder"/at.*
    json "$folder/whole" "$@"
    every=$(value "$folder/whole" cycles)
    [ -z "${LOCKSTEP_LONG:-}" ] && every=$((every * 2 / 5)) || every=$((every / 8))
    json "$folder/saving" --checkpoint-every $every --checkpoint "$folder/at.%c" "$@"
    cmp "$folder/whole" "$folder/saving" || wrong "checkpoints change $*"
    for file in "$folder"/at.*; do
        how=--no-skip
        [ $((n++ % 2)) -eq 0 ] && how="--threads 3"
        # shellcheck disable=SC2086
        json "$folder/rest" --resume "$file" $how && { cmp "$folder/whole" "$folder/rest" || wrong "$* goes on otherwise from ${file##*/}"; }
    done
    [ "$n" -gt 1 ] || wrong "$*: only $n checkpoints"
}
in_turn "gto+bows ddos" "lrr+bows static" "gto+bows oracle" "lrr+bows ddos" "gto+bows static" "lrr+bows oracle"
for what in "${chosen[@]}"; do
    continues ${what% *} ${what#* }
done
continues gto+bows ddos --set spin.truth=oracle --set spin.shares=true --set spin.order=scheduler \
    --set spin.adaptive=false

# Programs.
if [ -z "${LOCKSTEP_PRELOAD:-}" ] && command -v clang >/dev/null; then
    in_turn hashtable nw
    for program in "${chosen[@]}"; do
        "$LOCKSTEP" cc "$LOCKSTEP_SRC/workloads/$program/$program.cu" -o "$folder/$program" || exit 1
        in_turn gto+bows cawa+bows
        for scheduler in "${chosen[@]}"; do
            json "$folder/one" --machine gtx480 --sched $scheduler "$folder/$program" --small
            in_turn "--threads 3" --no-skip
            for how in "${chosen[@]}"; do
                # shellcheck disable=SC2086
                json "$folder/other" $how --machine gtx480 --sched $scheduler "$folder/$program" --small
                cmp "$folder/one" "$folder/other" || wrong "$program: $how changes results under $scheduler"
            done
        done
        json "$folder/one" --machine gtx480 --sched cawa+bows "$folder/$program" --small
        rm -f "$folder"/pa.*
        every=$(($(value "$folder/one" cycles) / 3))
        json "$folder/other" --checkpoint-every $every --checkpoint "$folder/pa.%c" --machine gtx480 --sched cawa+bows \
            "$folder/$program" --small
        cmp "$folder/one" "$folder/other" || wrong "checkpoints change $program"
        [ "$(ls "$folder"/pa.* | wc -l)" -gt 1 ] || wrong "$program: no checkpoints"
        for file in "$folder"/pa.*; do
            json "$folder/other" --allow-code --resume "$file" &&
                { cmp "$folder/one" "$folder/other" || wrong "$program goes on otherwise from ${file##*/}"; }
        done
        owned "$folder/one" $program
        name=lock_success
        [ $program = hashtable ] || name=wait_success
        [ "$(of "$folder/one" spin $name)" -gt 0 ] || wrong "$program: no $name"
    done
fi

expect 2 "what can stand over a scheduler: +bows" run --sched gto+nothing "$cases/vecadd.yaml"
expect 2 "there is no warp scheduler named" run --sched +bows "$cases/vecadd.yaml"
expect 2 "there is no spin control named" run --sched gto+ "$cases/vecadd.yaml"
expect 2 "known detectors: ddos, static, oracle" run --sched gto+bows --set spin.detector=x "$cases/vecadd.yaml"
expect 2 "known detectors: ddos, static, oracle" run --sched gto+bows --set spin.truth=x "$cases/vecadd.yaml"
expect 2 "spin.history" run --sched gto+bows --set spin.history=17 "$cases/vecadd.yaml"
expect 2 "expected xor or modulo" run --sched gto+bows --set spin.hash=crc "$cases/vecadd.yaml"
echo "$runs configurations"
finish
