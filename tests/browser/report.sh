#!/usr/bin/env bash
# The page of profiles, in a browser: the first screen names the line and the lock; its numbers are those of the results, also in the
# files that it offers; instructions fold out; texts of sources, programs and files are text.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir '<b>odd'
little_locks .
sed 's/visible .entry/& \/* <script>say("run")<\/script> <img src=x> *\//' ht.ptx >'<b>odd/ht.ptx'
cp ht64.yaml '<b>odd/<i onclick="f()">.yaml'
cd '<b>odd' || exit 1
odd='<i onclick="f()">'
"$LOCKSTEP" run --quiet --profile --stats "$odd.json" "$odd.yaml" >out.txt || { wrong "run"; cat out.txt; }
"$LOCKSTEP" run --quiet --profile --stats lrr.json --sched lrr "$odd.yaml" >/dev/null || wrong "run under lrr"
"$LOCKSTEP" report "$odd.json" -o one.html >/dev/null || wrong "report"
"$LOCKSTEP" report "$odd.json" lrr.json -o two.html >/dev/null || wrong "report of two"
clean one.html "the page of a result"
clean two.html "the page of two results"

# What the first screen has, and what is markup only if a text has become some.
look one.html 1280 'const head = document.querySelector(".head");
    say("screen", head.getBoundingClientRect().bottom < innerHeight);
    say("text", head.textContent.replaceAll("\n", " "));
    say("line", document.getElementById(head.querySelector("a[href*=\"-\"]").hash.slice(1)).className);
    say("markup", document.querySelectorAll("main i:not(.legend i), main img, [onclick], script:not(:last-of-type) ~ img").length);
    say("title", document.title);'
grep -qx 'screen true' said.txt && grep -qx 'line heat' said.txt && grep -qx 'markup 0' said.txt && grep -qxF "title Profile of $odd" said.txt ||
    { wrong "the first screen"; cat said.txt; }
line=$(sed -nE 's/^ *[0-9.]+% +[0-9.]+% +[0-9.]+%  ([^ ]+).*/\1/p' out.txt | head -1)
lock=$(awk '/^ wait .* word$/ { on = 1; next } on && $NF !~ /^at/ && /%/ { print $NF; exit }' out.txt)
[ -n "$lock" ] || wrong "there is no lock: it is no test"
grep -q "^text .*most expensive line is $line with.*locks of ${lock%+*}" said.txt || { wrong "the first screen names neither $line nor $lock"; cat said.txt; }

# Numbers: warp-cycles by cause and by SM, statistics with their units; what locks say.
awk '/"warps": \{/ { on = 1; next } /\}/ { on = 0 } on { gsub(/[":,]/, ""); if ($2) print $1, $2 }' "$odd.json" | sort >wanted
look one.html 1280 "$csv"' for (const row of csv(document.querySelector("a[download$=\"-causes.csv\"]").download).slice(1)) if (row.at(-2) > 0) say(row.find(f => f.startsWith("warps.")).slice(6), row.at(-2));'
sort said.txt | diff wanted - || wrong "warp-cycles by cause are not the statistics"
look one.html 1280 "$csv"' let sum = 0; for (const row of csv(document.querySelector("a[download$=\"sms-1.csv\"]").download).slice(1)) sum += row.slice(1).reduce((a, b) => a + Number(b), 0); say(sum);'
[ "$(cat said.txt)" = "$(awk '{ sum += $2 } END { print sum }' wanted)" ] || { wrong "SMs do not add up"; cat said.txt; }
look one.html 1280 'for (const row of document.querySelectorAll("tr")) { const c = [...row.cells].map(e => e.textContent); if (["cycles", "sm.atomics"].includes(c[0])) say(c.join("|")); }'
for name in cycles atomics; do
    value=$(awk -v name="\"$name\":" '$1 == name { sub(/,/, ""); print $2; exit }' "$odd.json")
    grep -qE "^(sm\.)?$name\|$value\|[a-z ]+\|.{10}" said.txt || { wrong "$name is not $value with unit and meaning"; cat said.txt; }
done
look one.html 1280 'for (const row of document.querySelectorAll(".low tbody tr")) say([...row.cells].slice(0, 4).map(e => e.textContent).join(" "));'
awk '/^ wait .* word$/ { on = 1; next } on && $NF !~ /^at/ && /%/ { print $NF, $1, $2, $3; exit }' out.txt | grep -Fxf - said.txt >/dev/null ||
    { wrong "the table of locks is another than the report's"; head -3 said.txt; }

# Who waited for whom: edges of warps, and of lines, with what was free, are all cycles that were waited; the drawing has those of the table.
[ "$lock" = "$(sed -nE 's/^ *"name": "(lock[^"]*)",/\1/p' "$odd.json" | head -1)" ] || wrong "the first lock of the results is another"
waited=$(awk -v name="\"$lock\"," '$1 == "\"name\":" { on = $2 == name } on && $1 == "\"waited\":" { sub(/,/, ""); print $2; exit }' "$odd.json")
look one.html 1280 "$csv"' const rows = csv(document.querySelector("a[download$=\"graph-1.csv\"]").download).slice(1), first = rows.filter(r => r[0] === rows[0][0]);
    for (const kind of ["lines", "warps"]) say(rows[0][0], kind, first.filter(r => r[4] === kind).reduce((sum, r) => sum + Number(r[2]), 0));
    const drawn = [...document.querySelectorAll(".waits")].map(svg => [...svg.querySelectorAll("g title")].map(e => e.textContent));
    say(drawn.length, drawn.every((titles, k) => titles.every((title, i) => { const r = first.filter(r => r[4] === ["lines", "warps"][k])[i]; return i >= 12 || title.startsWith(`${r[5]} waited while it was held by ${r[6]}: ${r[2]} cycles,`); })), drawn[1].length > 5);
    say([...document.querySelectorAll(".waits g")].every(g => g.getBBox().width > 50 && g.tabIndex === 0));'
printf '%s\n' "$lock lines $waited" "$lock warps $waited" "2 true true" true | diff - said.txt || wrong "who waited for whom"

# A line's instructions are there on demand, those of the results, by a key too.
look one.html 1280 'const d = document.querySelector("tr.heat details"), s = d.querySelector("summary"); say(d.open, d.querySelector("pre").checkVisibility());
    s.focus(); say(document.activeElement === s); s.click(); say(d.open, d.querySelector("pre").checkVisibility());
    say([...document.querySelectorAll("tr.heat details pre")].reduce((a, e) => a + e.textContent.trim().split("\n").length - 1, 0));'
[ "$(head -3 said.txt | tr '\n' ' ')" = "false false true true true " ] || { wrong "instructions on demand"; cat said.txt; }
[ "$(tail -1 said.txt)" -eq "$(grep -c '"ptx_file"' "$odd.json")" ] || { wrong "$(tail -1 said.txt) instructions"; }
# The source is that of the run: it stands there whole; changed, it does not.
look one.html 1280 'say([...document.querySelectorAll(".source .code")].length, [...document.querySelectorAll(".source code")].some(e => e.textContent.includes("<script>")));'
[ "$(cat said.txt)" = "$(wc -l <ht.ptx) true" ] || { wrong "the source"; cat said.txt; }
sed -i '1i // new' ht.ptx
"$LOCKSTEP" report "$odd.json" -o one.html >/dev/null
look one.html 1280 'say([...document.querySelectorAll(".note")].some(e => e.textContent.includes("another one now")), [...document.querySelectorAll(".source tbody tr")].some(e => !e.id && e.parentNode.parentNode.closest(".source > .scroll")) );'
[ "$(cut -d' ' -f1 said.txt)" = true ] || { wrong "it does not say that the source is another one"; cat said.txt; }
rm ht.ptx
"$LOCKSTEP" report "$odd.json" -o one.html >/dev/null && grep -q 'The file cannot be read' one.html || wrong "it does not say that there is no source"
finish
