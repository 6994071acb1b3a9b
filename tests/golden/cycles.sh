#!/bin/bash
# Cycle counts of reference kernels on every GTX machine under gto and lrr, and on the GTX 480 under all schedulers, against cycles.txt; some
# on apu8; those of waiting at barriers, and of fetch, which is named behind a comma, on some kernels.
# A change of timing that is meant is taken over with one command, and shows in the diff of cycles.txt:
#     tests/golden/cycles.sh --update        (LOCKSTEP: the binary, default build/release/bin/lockstep)
# As a test it looks at the schedulers that reference.MACHINE does not run: those hold the rows of gto and lrr.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
lockstep=${LOCKSTEP:-$root/build/release/bin/lockstep}
table=$here/cycles.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cases="alu_dep atom_same barimb bfs constmem divergence dramchase fma_ilp hist_shared ht1024 idiv l1chase localmem matmul reduce sfu
smem_conflict spmv strided transpose vecadd waitsignal"
barrier_cases=" barimb bfs matmul reduce waitsignal "
apu_cases=" barimb reduce strided waitsignal "
barrier_policies="oldest saws mwf mwf:inner=gto mwf,cff mwf:inner=gto,cff gto,fef lrr,oldest"

# prints: case machine scheduler cycles warp_instructions
measure() {
    local fetch=()
    [[ $3 != *,* ]] || fetch=(--fetch "${3#*,}")
    if ! "$lockstep" run --quiet --machine "$2" --sched "${3%%,*}" "${fetch[@]}" --stats "$work/stats.json" "$root/tests/reference/$1.yaml" >"$work/log" 2>&1; then
        echo "$1 $2 $3 failed: $(head -n 3 "$work/log" | tr '\n' ' ')"
        return
    fi
    number() { sed -n "s/^ *\"$1\": *\([0-9][0-9]*\),*$/\1/p" "$work/stats.json" | head -n 1; }
    echo "$1 $2 $3 $(number cycles) $(number warp_instructions)"
}

if [ "${1:-}" = --update ]; then
    {
        echo "# case machine scheduler cycles warp_instructions; written by tests/golden/cycles.sh --update"
        for c in $cases; do
            for m in gtx480 gtx480-sm2 gtx1080ti; do
                others=
                [ $m = gtx480 ] && others="tls cawa cawa:profile=artifact"
                [ $m = gtx480 ] && [[ $barrier_cases == *" $c "* ]] && others+=" $barrier_policies"
                for s in gto lrr $others; do
                    measure "$c" "$m" "$s"
                done
            done
            for s in oldest lrr; do
                [[ $apu_cases != *" $c "* ]] || measure "$c" apu8 $s
            done
        done
    } >"$work/table"
    grep failed "$work/table" && exit 1
    mv "$work/table" "$table"
    exit 0
fi

if [ ! -f "$table" ]; then
    echo "skipped: no golden cycle counts are recorded (tests/golden/cycles.sh --update records them)"
    exit 77
fi
wanted=. step=1
[ -z "${LOCKSTEP_BUILD:-}" ] || wanted=' \(apu8\|tls\|cawa[^ ]*\|oldest\|saws\|mwf[^ ]*\|[a-z]*,[a-z]*\) '
# Under sanitizers one machine and scheduler is enough, and half of the cases.
if grep -qs '^CMAKE_BUILD_TYPE:[A-Z]*=\(Asan\|Tsan\)' "${LOCKSTEP_BUILD:-$root/build/release}/CMakeCache.txt"; then
    wanted=' gtx480 gto '
    [ -n "${LOCKSTEP_LONG:-}" ] || step=2
fi
bad=0
rows=0
while read -r row; do
    read -r name machine scheduler rest <<<"$row"
    found=$(measure "$name" "$machine" "$scheduler")
    rows=$((rows + 1))
    if [ "$found" != "$row" ]; then
        echo "expected: $row"
        echo "found:    $found"
        bad=$((bad + 1))
    fi
done < <(grep -v '^#' "$table" | grep -- "$wanted" | awk -v step=$step 'NR % step == 0')
echo "$rows counts, $bad differ"
if [ "$rows" -eq 0 ] || [ "$bad" -ne 0 ]; then
    [ "$bad" -ne 0 ] && echo "if the change of timing is meant: tests/golden/cycles.sh --update, and say why in the commit"
    exit 1
fi
