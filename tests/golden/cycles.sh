#!/bin/bash
# Cycle counts of reference kernels against cycles.txt: on every GTX machine under gto and lrr, on the GTX 480 under all schedulers, some on
# apu8, thesis and the machines that are held against cards, and some under each row of each other list: fetch policies, spin detectors and controls, divergence ways, coherence
# protocols, network cores, and lock queues with their limits. The script fails when a list has a row that cycles.txt does not have.
# causes.txt has, for two kernels that wait, where the cycles of their schedulers and warps went under each of these.
# A change of timing that is meant is taken over with one command, and shows in the diff:
#     tests/golden/cycles.sh --update        (LOCKSTEP: the binary, default build/release/bin/lockstep)
# As a test it looks at what reference.MACHINE does not run: that holds the rows of gto and lrr on the GTX machines.
#
# A configuration is a scheduler, then settings behind commas: gto+bows,spin.detector=oracle. A setting without a group is of the SM.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
lockstep=${LOCKSTEP:-$root/build/release/bin/lockstep}
table=$here/cycles.txt
causes=$here/causes.txt
[ -x "$lockstep" ] || { echo "no $lockstep"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cases="alu_dep atom_same barimb bfs constmem divergence dramchase fma_ilp hist_shared ht1024 idiv l1chase localmem matmul reduce sfu
smem_conflict spmv strided transpose vecadd waitsignal"
barrier_cases=" barimb bfs matmul reduce waitsignal "
apu_cases=" barimb reduce strided waitsignal "
barrier_policies="oldest saws mwf mwf:inner=gto mwf,fetch=cff mwf:inner=gto,fetch=cff gto,fetch=fef lrr,fetch=oldest"
causes_cases=" ht1024 waitsignal "

# rows LIST: the names in a .def file under src, as users write them.
rows() {
    sed -n 's/^[A-Z_]*(\([a-z_]*\)).*/\1/p' "$root/src/$1" | tr _ -
}

# Spin detectors have other names for users than for their files.
detectors() {
    "$lockstep" run --set spin.detector=none "$root/tests/reference/vecadd.yaml" 2>&1 | sed -n 's/.*known detectors: //p' | tr -d ,
}

controls() {
    sed -n 's/^CONTROL(\([a-z_]*\)).*/\1/p' "$root/src/core/sched/controls.def"
}

# Configurations for the lists whose rows are no schedulers.
list_configurations() {
    local row control
    for row in $(rows fetch/list.def); do echo "gto,fetch=$row"; done
    for row in $(detectors); do
        for control in $(controls); do echo "gto+$control,spin.detector=$row"; done
    done
    for row in $(rows simt/models.def); do echo "gto,divergence=$row"; done
    for row in $(rows memory/coherence/list.def); do echo "gto,coherence.protocol=$row"; done
    for row in $(rows network/cores.def); do echo "gto,network.core=$row"; done
    for row in 2 4; do echo "gto,cores=$row"; done
    echo "gto,direct=true"; echo "gto,direct=true,cores=4"
    echo "gto,constant_latency=9,constant_interval=11"; echo "gto,atomics_joined=all"; echo "gto,partition.sides=2,partition.far_latency=150"; echo "gto,partition.atomic_interval=145,partition.atomic_line_interval=240"; echo "gto,partition.atomic_interval=145,partition.atomic_turn_interval=500"; echo "gto,l1_array_bytes=24576"; echo "gto,request_port_bytes=4"; echo "gto,l1d.replacement=aged,l1d.ways=8,l1d.sets=8,l2.replacement=aged,l2.ways=8,l2.sets=4"; echo "gto,partition.address_map=hbm,partition.hash_banks=true,dram.banks=32"; echo "gto,l1_lookups=4"; echo "gto,l1_lookups=4,l1d_latency=30"; echo "gto,l1_lookups=4,l1d_latency=2,l1d_hit_latency=28"; echo "gto,l1_array_bytes=24576,shared_reserved=1024"; echo "gto,l1d.set_index=folded,l1d.replacement=aged,l1d.aged=100,l2.set_index=folded"; echo "gto,shared_pass_latency=1,shared_atomic_latency=7,shared_wide_interval=2"
}

# The kernels that feel a configuration of list_configurations.
cases_of() {
    case $1 in
    *fetch=*) echo "bfs matmul" ;;
    *spin.*) echo "ht1024 waitsignal" ;;
    *,cores=* | *,direct=*) echo "barimb ht1024 matmul waitsignal" ;;
    *,atomics_joined=*) echo "atom_same" ;;
    *,partition.atomic_interval=*) echo "atom_same atom_spread ht1024" ;;
    *,partition.sides=*) echo "bfs strided waitsignal" ;;
    *,constant_*) echo "constmem" ;;
    *,shared_*) echo "hist_shared smem_conflict" ;;
    *,l1_array_bytes=*) echo "matmul reduce" ;;
    *,partition.address_map=*) echo "dramchase strided" ;;
    *,l1_lookups=*) echo "l1chase localmem spmv strided transpose" ;;
    *divergence=*) echo "bfs divergence ht1024 scan waitsignal" ;;
    *coherence.*) echo "atom_spread bfs ht1024 stencil strided waitsignal" ;;
    *) echo "bfs strided" ;;
    esac
}

# Configurations for the lock instructions, which one kernel of this folder has.
lock_configurations="gto gto,divergence=its gto,divergence=aware gto,divergence=dwf gto,locks.queue=true
gto,locks.queue=true,locks.queue_limit=1,locks.backoff=constant gto,locks.queue=true,locks.queue_limit=1,locks.backoff=linear
gto,locks.queue=true,locks.record_limit=12 gto,cores=4 gto,locks.queue=true,coherence.protocol=bypass gto,coherence.protocol=hlrc"

# measure CASE MACHINE CONFIGURATION prints that, cycles and warp_instructions; its results are in $work/stats.json then.
measure() {
    local settings=() file="$root/tests/reference/$1.yaml" all setting
    IFS=, read -ra all <<<"$3"
    for setting in "${all[@]:1}"; do
        [[ $setting == *.* ]] || setting=sm.$setting
        settings+=(--set "$setting")
    done
    [ -f "$file" ] || file=$here/$1.yaml
    if ! "$lockstep" run --quiet --machine "$2" --sched "${all[0]}" "${settings[@]}" --stats "$work/stats.json" "$file" >"$work/log" 2>&1; then
        echo "$1 $2 $3 failed: $(head -n 3 "$work/log" | tr '\n' ' ')"
        return
    fi
    awk -v run="$1 $2 $3" -F '[:,]' '
        /^ *"cycles": *[0-9]/ && !cycles { cycles = $2 + 0 }
        /^ *"warp_instructions": *[0-9]/ && !instructions { instructions = $2 + 0 }
        cycles && instructions { exit }
        END { print run, cycles, instructions }' "$work/stats.json"
}

# The causes of the run that was measured last: CASE MACHINE CONFIGURATION NAME=CYCLES..., those that are not 0.
found_causes() {
    awk -v run="$1 $2 $3" '
        /^ *"(stalls|warps)": {/ { split($0, quoted, "\""); group = quoted[2]; next }
        /}/ { group = "" }
        group { gsub(/[",:]/, ""); if ($2 != 0) run = run " " group "." $1 "=" $2 }
        END { print run }' "$work/stats.json"
}

# Every run, a line each: CASE MACHINE CONFIGURATION
all() {
    local c m s others
    for c in $cases; do
        for m in gtx480 gtx480-sm2 gtx1080ti; do
            others=
            [ $m = gtx480 ] && others="gty tls cawa cawa:profile=artifact"
            [ $m = gtx480 ] && [[ $barrier_cases == *" $c "* ]] && others+=" $barrier_policies"
            for s in gto lrr $others; do echo "$c $m $s"; done
        done
        for s in oldest lrr; do
            [[ $apu_cases != *" $c "* ]] || echo "$c apu8 $s"
        done
    done
    for s in $(list_configurations); do
        for c in $(cases_of "$s"); do echo "$c gtx480 $s"; done
    done
    for s in $lock_configurations; do echo "locks gtx480 $s"; done
    for c in alu_dep barimb fma_ilp hist_shared matmul sfu spmv waitsignal; do
        echo "$c h100 gty"
    done
    for c in alu_dep hist_shared spmv waitsignal; do
        for m in v100 a100; do echo "$c $m gty"; done
        for m in gtx480-card gtx1080ti-card; do echo "$c $m gto"; done
    done
    for c in tiles_warp tiles_group; do # matrix products; a group's depend on a machine's units of them alone
        for m in v100 a100 h100; do echo "$c $m gty"; done
        echo "$c gtx480 gto"; echo "$c gtx480 gto,divergence=its"
    done
    for c in pipeline_plain pipeline_groups pipeline_bulk grid_counter stream_k work_queue; do # workloads/, by lockstep cc --ptx -O2
        echo "$c h100 gty"; echo "$c gtx480 gto"
    done
    for c in cluster_histogram cluster_lock cluster_sum grid_cluster grid_remote queue_lock pipeline_roles; do echo "$c h100 gty"; done # which gtx480 does not launch, or has too few registers for
    for c in transpose vecadd; do echo "$c gtx480-sm2 gto,l2.sets=4"; done # an L2 that writes lines back
    for c in ht1024 waitsignal; do
        for s in hlrc vi; do echo "$c apu8 oldest,coherence.protocol=$s"; done
        for s in stack its; do echo "$c thesis lrr,divergence=$s"; done
    done
}

if [ "${1:-}" = --update ]; then
    echo "# case machine configuration cycles warp_instructions; written by tests/golden/cycles.sh --update" >"$work/table"
    echo "# case machine configuration, and where cycles went; written by tests/golden/cycles.sh --update" >"$work/causes"
    while read -r c m s; do
        measure "$c" "$m" "$s" >>"$work/table"
        [[ $causes_cases != *" $c "* ]] || found_causes "$c" "$m" "$s" >>"$work/causes"
    done < <(all | awk '!seen[$0]++')
    grep failed "$work/table" && exit 1
    mv "$work/table" "$table"
    mv "$work/causes" "$causes"
    exit 0
fi

bad=0
for row in $(rows core/sched/list.def) $(controls) $(list_configurations | sed 's/.*=//'); do
    grep -qE "[ +=]$row[ ,:]" "$table" || { echo "no golden cycles for $row: tests/golden/cycles.sh --update"; bad=$((bad + 1)); }
done

# By hand, all rows. As a test, but those that reference.MACHINE holds; and a scheduler, protocol or detector with every third case,
# with LOCKSTEP_LONG with all. Under sanitizers one machine and scheduler is enough, and a quarter of the cases.
part=all
[ -z "${LOCKSTEP_BUILD:-}" ] || part=test
! grep -qs '^CMAKE_BUILD_TYPE:[A-Z]*=\(Asan\|Tsan\)' "${LOCKSTEP_BUILD:-$root/build/release}/CMakeCache.txt" || part=sanitized
asked_for() {
    awk -v part=$part -v long="${LOCKSTEP_LONG:-}" '
        /^#/ { next }
        part == "test" && $1 !~ /^(locks|pipeline_.*|grid_.*|stream_k|work_queue)$/ && $2 ~ /^gtx/ && $3 ~ /^(gto|lrr)$/ { next }
        part == "sanitized" && !($2 == "gtx480" && $3 == "gto") { next }
        part == "sanitized" && ++cases % 4 && !long { next }
        part == "test" && !long && $2 == "gtx480" && $3 ~ /^(gty|tls|cawa|oldest|saws|mwf|gto,fetch|lrr,fetch|gto,coherence|gto,divergence|gto,cores|gto,direct|gto\+bows,spin)/ && $1 != "locks" && alone++ % 3 { next }
        { print }' "$table"
}
count=0
while read -r row; do
    read -r name machine configuration rest <<<"$row"
    found=$(measure "$name" "$machine" "$configuration")
    count=$((count + 1))
    if [ "$found" != "$row" ]; then
        echo "expected: $row"
        echo "found:    $found"
        bad=$((bad + 1))
    elif [[ $causes_cases == *" $name "* ]]; then
        found_causes "$name" "$machine" "$configuration" >"$work/found"
        grep -F "$name $machine $configuration " "$causes" | diff - "$work/found" || bad=$((bad + 1))
    fi
done < <(asked_for)
echo "$count counts, $bad differ"
if [ "$count" -eq 0 ] || [ "$bad" -ne 0 ]; then
    [ "$bad" -ne 0 ] && echo "if the change of timing is meant: tests/golden/cycles.sh --update, and say why in the commit"
    exit 1
fi
