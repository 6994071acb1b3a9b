#!/usr/bin/env bash
# Pages of studies and of validate, in a browser.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
"$LOCKSTEP" validate --case vecadd --machine gtx480 --sched gto --html validate.html >out.txt 2>&1 || { wrong "validate"; cat out.txt; }
clean validate.html "the page of validate"
look validate.html 1280 'say(document.querySelector("tbody .number").textContent);'
grep -qx "$(awk '$1 == "vecadd" { print $4 }' out.txt)" said.txt || { wrong "another number than the table's"; cat said.txt out.txt; }
"$LOCKSTEP" study hlrc --report --out study >out.txt 2>&1 || { wrong "study"; cat out.txt; }
clean study/index.html "the page of a study"
# The guard itself can fail: a page that loads something, is too wide, and has an error.
{ sed 's/<\/main>.*//' validate.html; echo '<p style="width:3000px">wide<img src="http://127.0.0.1:9/a.png"><script>nothing_here()</script></main>'; } >bad.html
(clean bad.html bad) >bad.txt
for text in "messages on the console" "wider than 360" "refused: http://127.0.0.1:9" "nothing_here"; do
    grep -qF "$text" bad.txt || { wrong "nobody sees: $text"; cat bad.txt; }
done
finish
