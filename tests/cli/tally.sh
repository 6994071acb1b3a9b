#!/usr/bin/env bash
# The first fifteen minutes: the commands of the example's page, and of README.md, give the figures that stand there.
. "$(dirname "$0")/_lib.sh"
[ -z "${LOCKSTEP_PRELOAD:-}" ] && command -v clang >/dev/null || { echo "skipped: no clang, or a sanitized libcudart"; exit 77; }
cd "$folder" || exit 1
mkdir -p bin examples
ln -s "$LOCKSTEP" bin/lockstep
cp -r "$LOCKSTEP_SRC/examples/tally" examples/
PATH=$folder/bin:$PATH
run() { # run PAGE: its commands, one after the other, all that they print in out.txt
    sed '/^## Your own/,$d' "$1" | grep '^    lockstep ' >commands
    [ "$(wc -l <commands)" -eq 5 ] || wrong "$(wc -l <commands) commands in $1"
    rm -f ./*.json one each one.html
    bash -e commands >out.txt 2>&1 || { wrong "$1: a command"; tail -5 out.txt; }
}
run "$LOCKSTEP_SRC/examples/tally/README.md"
grep '^    [^l]' "$LOCKSTEP_SRC/examples/tally/README.md" | sed 's/^    //' >shown
[ "$(wc -l <shown)" -eq 8 ] || wrong "$(wc -l <shown) lines of output on the page"
grep -vxFf out.txt shown && wrong "the page shows something else than the commands print"
grep -q '^ 99.1%      1024    314478       616      334      511  lock$' out.txt || wrong "the table of locks"
[ "$(grep -c '^1024 of 1024 counted$' out.txt)" -eq 2 ] || wrong "counts"
awk '/-> / && /cycles/ { exit int($4 / $6) != 125 }' out.txt || wrong "not 125 times as fast"
grep -q 'lock lock, taken at one.cu:11' one.html || wrong "the page does not name the lock"
run "$LOCKSTEP_SRC/README.md"
sed '/^## Your own/,$d' "$LOCKSTEP_SRC/README.md" | sed -n '/^The second line/,$p' | grep '^    ' | sed 's/^    //' >shown
[ "$(wc -l <shown)" -eq 14 ] || wrong "README.md shows $(wc -l <shown) lines of output"
grep -vxFf out.txt shown && { wrong "README.md shows something else than its commands print"; tail -20 out.txt; }
sed -n '/^    profile of tally/,/^    *atomic -14,439,874$/p' "$LOCKSTEP_SRC/docs/report.md" | sed 's/^    //' >shown
[ "$(wc -l <shown)" -ge 7 ] || wrong "docs/report.md shows $(wc -l <shown) lines"
sed 's/ *$//' out.txt >plain.txt
grep -vxFf plain.txt shown && wrong "docs/report.md shows something else than the command prints"
finish
