#!/usr/bin/env bash
# What a run did not measure is null in JSON, empty in CSV, "-" in tables, and never a zero: time in functional mode, spinning without
# a detector, locks and true detections in a kernel whose source marks no loop. What it did measure is a number, zero or not.
. "$(dirname "$0")/_lib.sh"
cases=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1
mkdir unmarked_ht && little_locks unmarked_ht && cp unmarked_ht/ht64.yaml marked.yaml
sed 's/^\(.*bra.*BB0_3;\)/.pragma "lockstep.spin";\n\1/' "$cases/ht.ptx" >ht.ptx

# members FILE: the last kernel's members as NAME VALUE, those of groups as GROUP.NAME VALUE, without texts and `host`.
members() {
    awk '/"kernels"/ { kernels = 1; next } !kernels { next } /^  *\]/ && !group { if (/^ \]/) exit }
        /: \{$/ { group = $1; gsub(/[":]/, "", group); next } /^  *\},?$/ { group = ""; next }
        /: (null|-?[0-9.e+-]+),?$/ && group != "host" { name = $1; gsub(/[":]/, "", name); value = $2; sub(/,/, "", value)
            print (group ? group "." : "") name, value }' "$1"
}
# check WHAT FILE PATTERN null|number: of the members whose names match, all are null, or all are numbers; there are some.
check() {
    members "$2" | awk -v pattern="^($3)\$" -v want="$4" '$1 ~ pattern { n++; if (($2 == "null") != (want == "null")) { print "    " $0; bad = 1 } }
        END { exit bad || !n }' || wrong "$1: not all of $3 are $4"
}
marks='spin\.(lock|wait|loop|wasted)_.*'
truth='spin\.(true|false)_.*'
others='spin\.(branches|sib_executions|backoffs|backed_off_cycles|delayed_cycles|delay_limit_.*|table_max|confirmed_max|hardware_bits)'
timed='cycles|gap_cycles|time_ns|ipc|(stalls|l1i|l1c|l1d|l2|dram|network|energy)\..*|sm\.(branches|loads|busy_cycles|warp_cycles|transactions|stack_depth)'
always='warp_instructions|thread_instructions|simd_efficiency|registers|blocks_per_sm|sm\.(warp_instructions|thread_instructions|lanes_active|blocks)'

json plain --machine gtx480 unmarked_ht/ht64.yaml
check "no detector" plain 'spin\..*' null
check "no detector" plain "$timed|$always" number
grep -q '"not_measured": "spin: no detector watched' plain || wrong "no detector: no reason"
json unmarked --machine gtx480 --set spin.measure=true unmarked_ht/ht64.yaml
check "no marks" unmarked "$marks|$truth" null
check "no marks" unmarked "$timed|$always|$others" number
grep -q '"not_measured": "spin: the source marks no loop' unmarked || wrong "no marks: no reason"
json oracle --machine gtx480 --sched gto+bows --set spin.truth=oracle unmarked_ht/ht64.yaml
check "an oracle" oracle "$marks" null
check "an oracle" oracle "$timed|$always|$others|$truth" number
json complete --machine gtx480 --sched gto --set spin.measure=true --set spin.marks_complete=true "$cases/vecadd.yaml"
check "marks said to be complete" complete "$timed|$always|spin\..*" number
json marked --machine gtx480 --sched gto --set spin.measure=true marked.yaml
check "marks" marked "$timed|$always|spin\..*" number
grep -q '"not_measured": null' marked || wrong "marks: a reason although all was measured"
json functional --machine gtx480 --mode functional --set spin.measure=true marked.yaml
check "functional" functional "$timed|spin\..*" null
check "functional" functional "$always" number
grep -q '"not_measured": "functional mode has no time"' functional || wrong "functional: no reason"
[ "$(members plain | wc -l)" = "$(members functional | wc -l)" ] || wrong "members come and go with the mode"

# A mark in a function that the kernel calls is the kernel's; that of another kernel is not.
cat >calls.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.func waits(.param .b32 n)
{
 .reg .b32 %r<3>; .reg .pred %p;
 ld.param.u32 %r1, [n];
L: .pragma "lockstep.spin";
 sub.u32 %r1, %r1, 1;
 setp.ne.u32 %p, %r1, 0;
 @%p bra L;
 ret;
}
.visible .entry caller(.param .u32 n)
{
 .reg .b32 %r<3>;
 ld.param.u32 %r1, [n];
 { .param .b32 a; st.param.b32 [a], %r1; call.uni waits, (a); }
 ret;
}
.visible .entry loop(.param .u32 n)
{
 .reg .b32 %r<3>; .reg .pred %p;
 ld.param.u32 %r1, [n];
L: sub.u32 %r1, %r1, 1;
 setp.ne.u32 %p, %r1, 0;
 @%p bra L;
 ret;
}
P
for kernel in caller loop; do
    printf 'ptx: calls.ptx\nkernel: %s\ngrid: [1]\nblock: [32]\nargs: [{u32: 9}]\n' $kernel >$kernel.yaml
    json $kernel --machine gtx480 --set spin.measure=true $kernel.yaml
done
check "a marked function" caller "$marks|$truth" number
check "another kernel's function" loop "$marks|$truth" null

# CSV: who ran where, a column of its own for each, and nothing where nothing was measured.
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print at ? $at : "no column" }' "$1" | paste -sd' '
}
same() {
    [ "$2" = "$3" ] || wrong "$1: $2, expected $3"
}
"$LOCKSTEP" run --quiet --machine gtx480-sm2 --sched lrr --set l2.ways=4 --set gpu.sms=15 --set sm.warps=40 --stats r.csv "$cases/vecadd.yaml" || wrong "run with CSV"
same program "$(column r.csv program)" "$cases/vecadd.yaml"
same machine "$(column r.csv machine)" gtx480-sm2
same scheduler "$(column r.csv scheduler)" lrr
same parameters "$(column r.csv parameters)" "sm.warps=40 l2.ways=4" # those that differ from the machine
"$LOCKSTEP" run --quiet --seed 7 --set l2.ways=4 --stats seed.csv "$cases/vecadd.yaml" || wrong "run with a seed"
same "a seed" "$(column seed.csv parameters)" "gpu.seed=7 l2.ways=4"
same "unmeasured locks" "$(column r.csv spin.lock_success)" ""
[ "$(column r.csv cycles)" -gt 0 ] || wrong "no cycles in the CSV"
"$LOCKSTEP" run --quiet --mode functional --stats f.csv "$cases/vecadd.yaml" || wrong "functional run with CSV"
same "functional cycles" "$(column f.csv cycles)$(column f.csv ipc)$(column f.csv stalls.data)$(column f.csv energy.total)" ""
[ "$(column f.csv warp_instructions)" -gt 0 ] || wrong "no instructions in the functional CSV"
same "columns of both modes" "$(head -n 1 f.csv)" "$(head -n 1 r.csv)"
"$LOCKSTEP" compare --machine gtx480,gtx480-sm2 --sched gto,lrr --stats all.csv "$cases/vecadd.yaml" >/dev/null || wrong "compare with CSV"
same "compared machines" "$(column all.csv machine)" "gtx480 gtx480 gtx480-sm2 gtx480-sm2"
same "compared schedulers" "$(column all.csv scheduler)" "gto lrr gto lrr"
[ "$(wc -l <all.csv)" -eq 5 ] || wrong "compare's CSV has not one line a run"

# Tables.
"$LOCKSTEP" compare --mode functional --sched lrr,gto "$cases/vecadd.yaml" >table || wrong "compare in functional mode"
for row in cycles speed-up instructions/cycle "L1D read hits" "L2 read hits" "dynamic energy" "total energy"; do
    grep -Eq "^$row +- +-$" table || { wrong "functional: $row is not '-'"; cat table; }
done
"$LOCKSTEP" compare --mode functional --sched lrr --seed 1,2 "$cases/vecadd.yaml" >seeds || wrong "compare with seeds in functional mode"
grep -Eq "^lrr( +-){5}$" seeds || { wrong "functional: a spread of cycles"; cat seeds; }
grep -Eq "^warp instructions +[1-9][0-9]* +[1-9][0-9]*$" table || wrong "functional: no instructions"
expect 0 "[when a detector watches, and the kernel has marked loops]" explain spin.lock_success
finish
