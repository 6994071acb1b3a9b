#!/usr/bin/env bash
# What the parameters of gtx1080ti say shows in its cycles: global loads that go past the L1 and take the way to the L2 every
# time, an interconnect of twice the SM's clock, two issues a cycle, DRAM channels used to their limit and not beyond.
set -uo pipefail
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# check TEXT CONDITION: the condition is shell arithmetic.
check() {
    printf '%s: %s\n' "$1" "$2"
    (($2)) || { echo "  does not hold"; bad=$((bad + 1)); }
}

# run CASE OPTIONS...: to $work/stats.
run() {
    local case=$1
    shift
    "$LOCKSTEP" run --quiet --machine gtx1080ti "$@" --stats "$work/stats.json" "$case" >"$work/log" 2>&1 && return
    cat "$work/log"
    echo "FAILED: $case $*"
    exit 1
}

# number NAME [GROUP]: the first statistic of that name, in that group of the kernel's statistics.
number() {
    sed -n "/\"kernels\"/,\$ { ${2:+/\"$2\": {/,\$} s/^ *\"$1\": *\([0-9][0-9]*\),*\$/\1/p; }" "$work/stats.json" | head -n 1
}

# A pointer chase of 1024 and of 2048 hops: cycles of 1024 hops, by their difference.
sed '/^check:/,$d' l1chase.yaml >"$work/short.yaml"
sed 's/{u32: 1024}$/{u32: 2048}/' "$work/short.yaml" >"$work/long.yaml"
sed -i "s,^ptx: ,ptx: $PWD/," "$work/short.yaml" "$work/long.yaml"
cmp -s "$work/short.yaml" "$work/long.yaml" && { echo "l1chase.yaml has no 1024 hops any more"; exit 1; }
hops() {
    run "$work/short.yaml" "$@"
    local short
    short=$(number cycles)
    run "$work/long.yaml" "$@"
    echo $(($(number cycles) - short))
}

base=$(hops)
check "no global load asks the L1D" "$(number reads l1d) == 0"
check "a hop goes to the L2: 120 cycles of ROP delay and more" "$base > 1024 * 130 && $base < 1024 * 200"
longer=$(hops --set partition.rop_latency=220)
check "a ROP delay of 100 cycles more is seen by every hop" "$longer - $base >= 1024 * 99 && $longer - $base <= 1024 * 101"
slower=$(hops --set gpu.network_mhz=1481)
check "an interconnect of the SM's clock costs every hop half of some 14 ticks" "$slower - $base >= 1024 * 5 && $slower - $base <= 1024 * 9"
hit=$(hops --set sm.global_loads_use_l1=true)
check "from the L1D a hop takes no way to the L2" "$hit < 1024 * 50"

# Independent multiply-adds: a scheduler of its own issues more than one in a cycle. Four schedulers find no more than the two
# instructions that are fetched in a cycle.
sed "s,^ptx: ,ptx: $PWD/,; s/^grid: .*/grid: [448, 1, 1]/; s/count: 7680/count: 57344/; s/{u32: 12}\$/{u32: 40}/; /^check:/,\$d" fma_ilp.yaml >"$work/fma.yaml"
run "$work/fma.yaml" --set sm.schedulers=1
double=$(number cycles)
check "one scheduler issues more than one instruction a cycle" "$(number warp_instructions sm) > $double * 28"
check "extra issues and issuing cycles add up" "$(number extra_issues sm) + $(number issued stalls) == $(number warp_instructions sm)"
run "$work/fma.yaml" --set sm.schedulers=1 --set sm.issue_width=1
check "with an issue width of 1 it takes longer" "$(number extra_issues sm) == 0 && $(number cycles) > $double * 11 / 10"
run "$work/fma.yaml"
check "four schedulers: at most the fetch width" "$(number warp_instructions sm) > $(number cycles) * 28 * 17 / 10 && $(number warp_instructions sm) < $(number cycles) * 28 * 2"

# A long vector addition: 11 channels of 32 bytes each two command cycles, 2750 command cycles in 1481 core cycles.
sed "s,^ptx: ,ptx: $PWD/,; s/^grid: .*/grid: [1536, 1, 1]/; s/98304/393216/g; /^check:/,\$d" vecadd.yaml >"$work/vecadd.yaml"
run "$work/vecadd.yaml"
moved=$((($(number reads dram) + $(number writes dram)) * 32))
limit=$(($(number cycles) * 11 * 16 * 2750 / 1481))
check "DRAM moves at most what its bus can" "$moved <= $limit"
check "and most of it when asked for more" "$moved * 100 >= $limit * 80"

[ "$bad" -eq 0 ] || exit 1
