#!/usr/bin/env bash
# The table of docs/progress.md: kernels in which a thread waits for another, under every scheduler on gtx480. A test: the page has the
# table that comes out (of each row, every fourth scheduler: "." stands for the others; all with LOCKSTEP_LONG). `tests/progress/table.sh --print` prints it; --update puts it into the page. (LOCKSTEP: the binary, default
# build/release/bin/lockstep.)
LOCKSTEP_SRC=${LOCKSTEP_SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
LOCKSTEP=${LOCKSTEP:-$LOCKSTEP_SRC/build/release/bin/lockstep}
. "$(dirname "$0")/_lib.sh"
page=$LOCKSTEP_SRC/docs/progress.md
cp "$here"/*.ptx "$folder/"

schedulers="lrr gto gto-strict oldest oldest:patience=0 tls cawa cawa:patience=0 saws mwf mwf:patience=0 lrr+bows gto+bows cawa+bows"

# case KERNEL BLOCKS THREADS SETTER UNIT
case_file() {
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

# row TEXT OPTIONS...: the exit code 0 is "ends", 3 (a hang, told by the progress watch) is "**no**", all others are a fault.
row() {
    local text=$1 cells="" scheduler options got n=$((rows++))
    shift
    for scheduler in $schedulers; do
        [ $((n++ % every)) -eq 0 ] || { cells="$cells . |"; continue; }
        options=(--sched "$scheduler")
        [ "$scheduler" = gto-strict ] && options=(--sched gto --set sm.age_rotation=0)
        "$LOCKSTEP" run --quiet "${options[@]}" "$@" --set gpu.watch_cycles=50000 --max-cycles 10000000 "$folder/case.yaml" >"$folder/out" 2>&1
        got=$?
        case $got in
        0) cells="$cells ends |" ;;
        3) cells="$cells **no** |" ;;
        *) cells="$cells ? |"; echo "$text, $scheduler: exit code $got: $(head -n 2 "$folder/out" | cut -c1-200)" >&2 ;;
        esac
    done
    echo "| $text |$cells"
}

table() {
    echo "| who waits for whom | \`lrr\` | \`gto\` | \`gto\`, strict | \`oldest\` | \`oldest:patience=0\` | \`tls\` | \`cawa\` | \`cawa:patience=0\` | \`saws\` | \`mwf\` | \`mwf:patience=0\` | \`lrr+bows\` | \`gto+bows\` | \`cawa+bows\` |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
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
    cp "$here/lock.yaml" "$folder/case.yaml"
    row "all lanes of 16 warps take a lock and give it back inside the loop that takes it"
    row "the same, \`--divergence its\`" --divergence its
    row "the same, \`--divergence aware\`" --divergence aware
    row "the same, \`--divergence dwf\`" --divergence dwf
}

rows=0 every=4
[ -z "${LOCKSTEP_LONG:-}${1:-}" ] || every=1
table >"$folder/table"
grep -q '?' "$folder/table" && wrong "a run ended neither well nor as a hang"
case ${1:-} in
--print) cat "$folder/table" ;;
--update)
    awk -v table="$folder/table" '/^\| who waits for whom/ { while ((getline line < table) > 0) print line; inside = 1 }
        !/^\|/ { inside = 0 } !inside { print }' "$page" >"$folder/page" && cp "$folder/page" "$page"
    ;;
*)
    sed -n '/^| who waits for whom/,/^$/p' "$page" | grep '^|' >"$folder/there"
    if [ "$every" != 1 ]; then
        awk -F'|' -v OFS='|' 'NR == FNR { skipped[FNR] = $0; next }
            { split(skipped[FNR], cell, "|"); for (i = 3; i < NF; i++) if (cell[i] == " . ") $i = cell[i]; print }' \
            "$folder/table" "$folder/there" >"$folder/some" && mv "$folder/some" "$folder/there"
    fi
    diff -u "$folder/there" "$folder/table" || wrong "docs/progress.md has another table: tests/progress/table.sh --update"
    finish
    ;;
esac
