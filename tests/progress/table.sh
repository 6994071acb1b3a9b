#!/usr/bin/env bash
# The table of docs/progress.md: kernels in which a thread waits for another, under every scheduler on gtx480: whether each ends, and what
# that costs. A test: the page has the table that comes out (one scheduler of each row, and of the next row another: "." stands for the
# others; all with LOCKSTEP_LONG). `tests/progress/table.sh --print` prints it; --update puts it into the page. (LOCKSTEP: the binary,
# default build/release/bin/lockstep.)
LOCKSTEP_SRC=${LOCKSTEP_SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
LOCKSTEP=${LOCKSTEP:-$LOCKSTEP_SRC/build/release/bin/lockstep}
. "$(dirname "$0")/_lib.sh"
page=$LOCKSTEP_SRC/docs/progress.md
cp "$here"/*.ptx "$folder/"

schedulers="lrr gto gto-strict oldest oldest:patience=0 tls cawa cawa:patience=0 saws mwf mwf:patience=0 lrr+bows gto+bows cawa+bows"

# case KERNEL BLOCKS THREADS SETTER UNIT: the rows that follow, until the next, are of one kernel.
case_file() {
    kernels=$((kernels + 1))
    cat >"$folder/case.yaml" <<Y
ptx: wait.ptx
kernel: $1
grid: [$2]
block: [$3]
shared: 0
registers: 0
buffers:
  flag: {type: u32, count: 32, init: zero}
  sum: {type: u32, count: 32, init: zero}
args: [flag, sum, {u32: $4}, {u32: $5}]
check:
  - {buffer: sum, sum_u32: $(($2 * $3))}
Y
}

# row TEXT OPTIONS...: with exit code 0, the kernel's cycles in thousands; 3 (a hang, told by the progress watch) is "**no**", all others
# are a fault. The kernel's number stands before the row.
row() {
    local text=$1 cells="" scheduler options got n=$((rows++))
    shift
    for scheduler in $schedulers; do
        [ $((n++ % every)) -eq 0 ] || { cells="$cells . |"; continue; }
        options=(--sched "$scheduler")
        [ "$scheduler" = gto-strict ] && options=(--sched gto --set sm.age_rotation=0)
        "$LOCKSTEP" run --quiet "${options[@]}" "$@" --set gpu.watch_cycles=50000 --max-cycles 10000000 --stats "$folder/stats.json" "$folder/case.yaml" >"$folder/out" 2>&1
        got=$?
        case $got in
        0) cells="$cells $(awk -F'[:,]' '/"cycles"/ { k = $2 / 1000; printf k < 10 ? "%.1f" : "%.0f", k; exit }' "$folder/stats.json") |" ;;
        3) cells="$cells **no** |" ;;
        *) cells="$cells ? |"; echo "$text, $scheduler: exit code $got: $(head -n 2 "$folder/out" | cut -c1-200)" >&2 ;;
        esac
    done
    echo "$kernels| $text |$cells"
}

# factors NUMBERED: the rows without numbers, and behind each number of cycles how many times as many it is as the least of its kernel's.
factors() {
    awk -F'|' -v OFS='|' '
        NR == FNR { for (i = 3; i < NF; i++) if ($i + 0 && (!least[$1] || $i + 0 < least[$1])) least[$1] = $i + 0; next }
        { for (i = 3; i < NF; i++) if ($i + 0) { f = $i / least[$1]; $i = sprintf(f < 10 ? "%s(%.1f) " : "%s(%.0f) ", $i, f) } sub(/^[0-9]*/, ""); print }' "$1" "$1"
}

head_of_table() {
    echo "| who waits for whom | \`lrr\` | \`gto\` | \`gto\`, strict | \`oldest\` | \`oldest:patience=0\` | \`tls\` | \`cawa\` | \`cawa:patience=0\` | \`saws\` | \`mwf\` | \`mwf:patience=0\` | \`lrr+bows\` | \`gto+bows\` | \`cawa+bows\` |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
}

rows_of_table() {
    case_file wait_first 1 32 31 1
    row "lanes of a warp wait for another; the side of the branch that waits runs first"
    row "the same, \`--divergence its\`" --divergence its
    row "the same, \`--divergence aware\`" --divergence aware
    row "the same, \`--divergence dwf\`" --divergence dwf
    case_file set_first 1 32 31 1
    row "the same; the side that sets the flag runs first"
    case_file lock_behind 1 32 0 1
    row "lanes of a warp take a lock and give it back behind the loop that takes it"
    row "the same, \`--divergence its\`" --divergence its
    row "the same, \`--divergence aware\`" --divergence aware
    row "the same, \`--divergence dwf\`" --divergence dwf
    case_file lock_behind 16 256 0 32
    row "the same, one lane of each warp, 16 blocks of 8 warps"
    row "the same, \`--divergence dwf\`" --divergence dwf
    case_file wait_first 1 256 255 32
    row "warps of a block wait for the youngest"
    case_file wait_first 1 256 0 32
    row "warps of a block wait for the oldest"
    case_file wait_first 90 256 23039 32
    row "blocks, as many as fit, wait for the last"
    case_file wait_first 90 256 0 32
    row "blocks, as many as fit, wait for the first"
    case_file wait_first 180 256 0 32
    row "twice as many blocks as fit wait for the first"
    case_file wait_first 180 256 46079 32
    row "twice as many blocks as fit wait for the last"
    kernels=$((kernels + 1))
    cp "$here/lock.yaml" "$folder/case.yaml"
    row "all lanes of 16 warps take a lock and give it back inside the loop that takes it"
    row "the same, \`--divergence its\`" --divergence its
    row "the same, \`--divergence aware\`" --divergence aware
    row "the same, \`--divergence dwf\`" --divergence dwf
}

rows=3 every=14 kernels=0
[ -z "${LOCKSTEP_LONG:-}${1:-}" ] || every=1
rows_of_table >"$folder/numbered"
grep -q '?' "$folder/numbered" && wrong "a run ended neither well nor as a hang"
{
    head_of_table
    factors "$folder/numbered"
} >"$folder/table"
case ${1:-} in
--print) cat "$folder/table" ;;
--update)
    awk -v table="$folder/table" '/^\| who waits for whom/ { while ((getline line < table) > 0) print line; inside = 1 }
        !/^\|/ { inside = 0 } !inside { print }' "$page" >"$folder/page" && cp "$folder/page" "$page"
    ;;
*)
    # The cycles of those that ran, and all factors that follow from the page's cycles.
    sed -n '/^| who waits for whom/,/^$/p' "$page" | grep '^|' >"$folder/there"
    paste -d '' <(cut -d'|' -f1 "$folder/numbered") <(tail -n +3 "$folder/there" | sed 's/ ([0-9.e+]*)//g') >"$folder/page_numbered"
    {
        head_of_table
        factors "$folder/page_numbered"
    } | diff -u "$folder/there" - || wrong "docs/progress.md has other factors than follow from its cycles: tests/progress/table.sh --update"
    awk -F'|' -v OFS='|' 'NR == FNR { ran[FNR] = $0; next }
        { split(ran[FNR], cell, "|"); for (i = 3; i < NF; i++) if (cell[i] == " . ") $i = cell[i]; print }' \
        "$folder/numbered" "$folder/page_numbered" >"$folder/some"
    diff -u "$folder/some" "$folder/numbered" || wrong "docs/progress.md has another table: tests/progress/table.sh --update"
    finish
    ;;
esac
