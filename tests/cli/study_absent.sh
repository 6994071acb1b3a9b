#!/usr/bin/env bash
# What is absent in a study is told, and taken for nothing else: patterns of kernels that match none.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
# Two launch files of a kernel whose name is mangled: insert(unsigned*).
cat >mini/insert.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry _Z6insertPj(.param .u64 m)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [m];
 mov.u32 %r1, 7;
 st.global.u32 [%rd1], %r1;
 ret;
}
P
for name in a b; do
    printf 'ptx: insert.ptx\nkernel: _Z6insertPj\ngrid: [1]\nblock: [32]\nbuffers:\n  m: {type: u32, count: 16, init: zero}\nargs: [m]\n' >mini/$name.yaml
done
cat >mini/study.yaml <<'Y'
title: absent
benchmarks:
  A: {program: a.yaml, kernels: "insert*"}
  B: {program: b.yaml, kernels: "_Z6insert*"}
readings:
  plain: []
runs:
  - {benchmarks: [A, B], machines: [gtx480], schedulers: [lrr, gto], readings: [plain]}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: M, claim: a mean over two programs, rows: "SELECT benchmark AS name, cycles AS ours FROM results WHERE scheduler = 'gto'", direction: ours > 2, range: [1, 1e9]}
Y
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; cat "$1"; }
}
has_not() {
    ! grep -qF -- "$2" "$1" || { wrong "$1 has: $2"; cat "$1"; }
}

# Names are matched as tables show them, and as PTX has them.
expect 0 "page: out/index.html" study ./mini --out out
[ "$(cut -d, -f1,3 out/results.csv | sort | tr '\n' ' ')" = "A,gto A,lrr B,gto B,lrr benchmark,scheduler " ] || { wrong "kernels by either name"; cut -c1-60 out/results.csv; }

# A pattern that matches nothing is an error where it stands; nothing is run again, and the rest is answered.
cp -r mini none
sed -i 's/kernels: "insert\*"/kernels: "insort*"/' none/study.yaml
expect 2 "study.yaml:3:33: error: benchmark A: kernels 'insort*' match none of those that ran: insert" study ./none --out out
expect 2 "kernels 'insort*' match none" study ./none --out out --report
[ "$(sqlite3 out/full.sqlite "SELECT count(*) FROM executions")" = 4 ] || wrong "another pattern is another run"
finish
