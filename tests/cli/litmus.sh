#!/usr/bin/env bash
# lockstep litmus: what it prints of a test, what it exits with, and that a machine which breaks the memory model is
# found out by it.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mp=$folder/mp.litmus sb=$folder/sb.litmus
cat >"$mp" <<'TEST'
PTX MP
{ x=0; y=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 st.weak x, 1         | ld.relaxed.gpu r0, y ;
 fence.acq_rel.gpu    | fence.acq_rel.gpu    ;
 st.relaxed.gpu y, 1  | ld.weak r1, x        ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
TEST
sed -e 's/PTX MP/PTX SB/; /fence/d; s/ld.relaxed.gpu r0, y/st.weak y, 1/; s/st.relaxed.gpu y, 1/ld.weak r0, y/; s/P1:r0 == 1/P0:r0 == 0/' \
    "$mp" >"$sb"

expect 0 "MP: condition by the model: exists nowhere; seen: exists nowhere" litmus --runs 500 "$mp"
expect 0 "sequential" litmus --runs 500 "$mp"
expect 0 "SB: condition by the model: exists; seen: exists" litmus --runs 500 "$sb"
expect 0 "2 tests, 1000 runs: 0 ended as the model forbids; 1 of 1 weak outcomes" litmus --quiet --runs 500 "$mp" "$sb"
expect 0 "1 weak outcomes allowed" litmus --model "$mp" "$sb"
for protocol in gpu bypass; do
    expect 0 "0 ended as the model forbids" litmus --protocol "$protocol" --sched gto+bows --machine gtx1080ti --runs 100 "$mp" "$sb"
done

# Without the mechanism that a fence is, the machine shows what the model forbids.
expect 1 "FORBIDDEN" litmus --set sm.fence_l1=none --runs 500 "$mp"
expect 1 "forbidden   condition" litmus --set sm.fence_l1=none --runs 500 --quiet "$mp"

# The same seed, the same table, on any number of threads.
"$LOCKSTEP" litmus --runs 700 --seed 3 "$sb" >"$folder/once"
"$LOCKSTEP" litmus --runs 700 --seed 3 --threads 2 "$sb" >"$folder/again"
"$LOCKSTEP" litmus --runs 700 --seed 4 "$sb" >"$folder/other"
cmp -s "$folder/once" "$folder/again" || wrong "threads change what is seen"
cmp -s "$folder/once" "$folder/other" && wrong "a seed changes nothing"

# Every twelfth of the shapes, as --print prints it, a few runs of each, on as many SMs as a shape has threads; with LOCKSTEP_LONG all
# of them, a million runs on the whole machine.
"$LOCKSTEP" litmus --shapes --print | awk -v folder="$folder" '/^PTX/ { n++ } n % 12 == 1 { print > (folder "/shape" n ".litmus") }'
[ "$(ls "$folder" | grep -c shape)" -ge 50 ] || wrong "--print prints few shapes"
some=("$folder"/shape*.litmus) runs=4 sms=4
[ -z "${LOCKSTEP_LONG:-}" ] || some=(--shapes) runs=1100 sms=15
for protocol in gpu bypass; do
    expect 0 " 0 ended as the model forbids" litmus --quiet --runs $runs --set gpu.sms=$sms --protocol $protocol "${some[@]}"
done
expect 0 "$(ls "$folder" | grep -c shape) tests" litmus --model "$folder"/shape*.litmus
expect 0 "weak outcomes allowed" litmus --model --shapes

# Lockstep's own tests of proxies: the model says what their conditions say, and a machine shows nothing that it forbids.
own=("$LOCKSTEP_SRC"/tests/litmus/*.litmus "$LOCKSTEP_SRC"/examples/litmus/{alias,surface}.litmus)
"$LOCKSTEP" litmus --model --quiet "${own[@]}" >"$folder/own" || wrong "a test of proxies is not read"
[ "$(grep -cE ': condition by the model: (exists|never|in all)$' "$folder/own")" = ${#own[@]} ] || wrong "$(cat "$folder/own")"
expect 0 " 0 ended as the model forbids" litmus --quiet --runs 40 --set gpu.sms=4 --protocol gpu,hlrc $(printf '%s\n' "${own[@]}" | grep -v /copy)
expect 0 " 0 ended as the model forbids" litmus --quiet --random 30 --mixed --runs 4 --set gpu.sms=4 --protocol gpu,vi
expect 2 "bulk copies are known to the model alone" litmus --runs 10 "$LOCKSTEP_SRC/tests/litmus/copy-waited.litmus"

# A test may do without memory.
printf 'PTX none\n{ }\n P0@cta 0 | P1@cta 0 ;\n bar.cta.sync 0 | bar.cta.sync 0 ;\nforall (1 == 1)\n' >"$folder/none-at-all.litmus"
expect 0 "1 tests, 50 runs: 0 ended" litmus --runs 50 "$folder/none-at-all.litmus"

# Barriers of a block meet whole warps, also where the lanes of one part; those of a loop come round together.
printf 'PTX told\n{ }\n P0@cta 0 | P1@cta 0 ;
 L: | M: ;\n add r1, r1, 1 | add r1, r1, 1 ;\n atom.relaxed.gpu.add r2, y, 1 | bar.cta.sync 0 ;
 st.weak x, r1 | ld.weak r0, x ;\n bar.cta.sync 0 | bar.cta.sync 0 ;\n bar.cta.sync 0 | bne r1, 2, M ;
 bne r2, 1, L | ;\nforall (P1:r0 == 2 /\\ y == 2)\n' >"$folder/told.litmus"
for way in stack its aware dwf; do
    expect 0 "of the turns that were looked at; seen: in all" litmus --runs 100 --divergence "$way" "$folder/told.litmus"
done

# A bad test is said with its place, and the others are run.
printf 'PTX bad\n{ }\n P0@cta 0 ;\n lod r0, x ;\nexists (x == 0)\n' >"$folder/bad.litmus"
expect 2 "bad.litmus:4:2: error: 'lod' is not known" litmus --runs 100 "$folder/bad.litmus" "$mp"
expect 2 "1 tests, 100 runs" litmus --runs 100 "$folder/bad.litmus" "$mp"
expect 2 "none.litmus" litmus --runs 100 "$folder/none.litmus"
expect 2 "needs files, or --shapes" litmus
expect 2 "needs files, or --shapes" litmus --shapes "$mp"
expect 2 "--runs 0: expected a number" litmus --runs 0 "$mp"
expect 2 "--turns 17: expected a number" litmus --turns 17 "$mp"
expect 2 "there is no coherence protocol named mesi" litmus --protocol mesi "$mp"
finish
