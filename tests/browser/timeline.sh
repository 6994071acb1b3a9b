#!/usr/bin/env bash
# Timelines on a page, in a browser: what is told of phases is what the file and the results say, also by keys; colours are those of the
# legend; zoom and pan keep a phase under the pointer; a part is a part; a page of 100,000 phases is small.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
little_locks .
"$LOCKSTEP" run --quiet --stats ht64.json --timeline fine.tl --timeline-resolution 1 --report fine.html ht64.yaml >out.txt || { wrong "run"; cat out.txt; }
"$LOCKSTEP" report ht64.json fine.tl -o beside.html >/dev/null || wrong "report"
sed 's/ title="ht64.json"//; s/fine\.tl/ht64/g' beside.html | cmp - fine.html || wrong "run --report and report write different pages"
clean fine.html "the page with a timeline"

# Cycles by cause are the statistics; those of SMs are the summary's.
awk '/"warps": \{/ { on = 1; next } /\}/ { on = 0 } on { gsub(/[":,]/, ""); if ($2) print $1, $2 }' ht64.json | sort >wanted
look fine.html 1280 'for (const b of document.querySelectorAll(".timeline .legend button")) say(b.title.replace(/^warps\.(\w+): (\d+) .*/, "$1 $2"));'
sort said.txt | diff wanted - || wrong "the legend's cycles are not the statistics"
"$LOCKSTEP" timeline fine.tl | awk '/^SM / { on = 1; next } on { print "0,"$1","$2","$3","$4 }' >wanted
[ "$(wc -l <wanted)" -gt 3 ] || wrong "the summary has no SMs"
look fine.html 1280 "$csv"' for (const row of csv("ht64-sms").slice(1)) say(row.slice(0, 5).join(","));'
diff wanted said.txt || wrong "SMs are not those of the summary"
cp said.txt sms

# By keys: the phases of a warp, one behind the other, without a gap, those of the file.
keys='const canvas = document.querySelector(".timeline canvas"), told = document.querySelector(".told"), frame = () => new Promise(done => setTimeout(done, 20));
    const key = (name, more = {}) => canvas.dispatchEvent(new KeyboardEvent("keydown", {key: name, ...more}));
    const at = (x, y, type = "pointermove", more = {}) => { const r = canvas.getBoundingClientRect(); canvas.dispatchEvent(new PointerEvent(type, {clientX: r.left + x, clientY: r.top + y, pointerId: 1, ...more})); return told.textContent.split("\n"); };'
look fine.html 1280 "$keys"' let last = ""; canvas.focus(); say(document.activeElement === canvas);
    for (;;) { key("ArrowRight", {shiftKey: true}); const [where, what] = told.textContent.split("\n"); if (what === last) break; last = what;
        const [, cause, cycles, from, to] = what.match(/^(.*): (\d+) cycles, from (\d+) to (\d+)/); say(where, cycles, from, to, cause); }'
[ "$(head -1 said.txt)" = true ] || wrong "the drawing takes no focus"
tail -n +2 said.txt >walked
life=$(head -1 walked | sed -nE 's/^SM 0, slot 0: block 0, warp 0, from ([0-9]+) to ([0-9]+) .*/\1 \2/p')
[ -n "$life" ] && [ "$(wc -l <walked)" -gt 200 ] || { wrong "no phases are told"; head -3 walked; }
sed -E 's/.* to [0-9]+ ([0-9]+ [0-9]+ [0-9]+) .*/\1/' walked | awk -v life="$life" 'BEGIN { split(life, l, " "); at = l[1] } $2 != at || $3 - $2 != $1 { print "a gap at", at; exit } { at = $3 } END { if (at != l[2]) print "it ends at", at }' |
    grep . && wrong "phases of a warp are not its life"
if command -v python3 >/dev/null && command -v zstd >/dev/null; then
    zstd -qdc fine.tl | python3 -I -S -c '
import json, sys
waits = {}
for line in map(json.loads, sys.stdin):
    locks = line.get("locks", []) if "sm" in line else []
    waits[line.get("sm")] = waits.get(line.get("sm"), 0) + sum(taken - since for since, taken in zip(locks[4::9], locks[5::9]))
    if line.get("sm") == 0 and line.get("slot") == 0 and "phases" in line:
        at = line["at"]
        for cycles in line["phases"][0::4]:
            print(cycles, at, at + cycles)
            at += cycles
print(*[waits[sm] for sm in range(4)], file=open("waits", "w"))
' >wanted
    sed -E 's/.* to [0-9]+ ([0-9]+ [0-9]+ [0-9]+) .*/\1/' walked | head -n "$(wc -l <wanted)" | cmp - wanted || wrong "phases are not those of the file"
    [ "$(cat waits)" = "$(cut -d, -f5 sms | paste -s -d' ')" ] || wrong "lock waits are not those of the file"
fi

# The colour of a pixel is that of the cause which is told there, far away and near, in light and dark.
for scheme in 0 1; do
    look fine.html 1280 "$keys"' const colours = Object.fromEntries([...document.querySelectorAll(".timeline .legend button")].map(b => [b.textContent.replace(/ [\d.]+%$/, ""), getComputedStyle(b.querySelector("i")).backgroundColor]));
        let seen = 0;
        for (const near of ["", "++++", "++++++++", "++]]]]", "["]) { key("Home"); [...near].forEach(name => key(name)); await frame(); const image = canvas.getContext("2d"), rows = new Map();
            for (let y = 23; y < canvas.clientHeight - 20; y++) { const row = at(400.5, y + 0.5)[0].split(":")[0]; if (row) rows.set(row, [...rows.get(row) || [], y]); }
            [...rows.values()].forEach((ys, k) => { for (let i = 0; i < 40; i++) { const x = 230 + (i * 97 + k * 31) % 980, y = ys[ys.length >> 1], cause = at(x + 0.5, y + 0.5)[1]?.match(/^(.*): \d+ cycles/)?.[1];
                const [r, g, b] = image.getImageData(x, y, 1, 1).data, drawn = `rgb(${r}, ${g}, ${b})`;
                if (cause) { seen++; if (drawn !== colours[cause]) say("at", x, y, "is", drawn, "not", cause, colours[cause], near); } } }); }
        say("seen", seen > 500);' --blink-settings=preferredColorScheme=$scheme
    [ "$(cat said.txt)" = "seen true" ] || { wrong "pixels are of other causes than what is told there"; head -5 said.txt; }
done

# Zoom by the wheel keeps what is under the pointer, when the drawing has the focus; a drag takes it along; buttons and keys go back.
look fine.html 1280 "$keys"' key("+"); await frame();
    const wheel = (x = 600) => { const r = canvas.getBoundingClientRect(), e = new WheelEvent("wheel", {clientX: r.left + x, clientY: r.top + 40, deltaY: -200, cancelable: true}); canvas.dispatchEvent(e); return e.defaultPrevented; };
    say("page", wheel()); canvas.focus(); say("drawing", wheel()); await frame();
    let one, stays = true;
    for (const x of [200.5, 1000.5, 600.5]) { key("Home"); key("+"); one = at(x, 40.5)[1]; wheel(x); stays &&= at(x, 40.5)[1] === one; } await frame(); say("wheel", stays);
    at(600.5, 40.5, "pointerdown"); at(700.5, 40.5); say("drag", at(700.5, 40.5, "pointerup")[1] === at(700.5, 40.5)[1] && at(700.5, 40.5)[1] === one);
    const far = (canvas.clientWidth - 64) / 8; key("ArrowLeft"); say("arrows", at(600.5, 40.5)[1] !== one && at(700.5 + far, 40.5)[1] === one); key("Home"); await frame(); const whole = at(600.5, 40.5)[1];
    document.querySelector(".timeline .bar button").click(); await frame(); say("closer", at(600.5, 40.5).length > 0);
    [...document.querySelectorAll(".timeline .bar button")].find(b => b.textContent === "all").click(); say("all", at(600.5, 40.5)[1] === whole);
    const light = document.querySelector(".timeline .legend button"); light.click(); say("pressed", document.querySelectorAll(".timeline .legend [aria-pressed=true]").length);'
printf '%s\n' "page false" "drawing true" "wheel true" "drag true" "arrows true" "closer true" "all true" "pressed 1" | diff - said.txt || wrong "zoom and pan"
# Locks: some lane is told to hold one.
look fine.html 1280 "$keys"' let n = 0; for (let y = 30; y < canvas.clientHeight; y += 6) for (let x = 70; x < 1200; x += 5) n += /lane \d+ holds lock/.test(at(x, y).join(" ")); say(n > 20);'
[ "$(cat said.txt)" = true ] || wrong "nobody holds a lock"

# A part; and that there is none.
"$LOCKSTEP" report ht64.json fine.tl --timeline-window 1000:3000 --timeline-sms 1,3 -o part.html >/dev/null || wrong "report of a part"
look part.html 1280 "$keys"' const seen = new Set(); for (let y = 24; y < canvas.clientHeight; y += 4) for (let x = 70; x < 1200; x += 30) { const [where, what] = at(x, y); seen.add(where.slice(0, 4));
        const [, from, to] = what?.match(/from (\d+) to (\d+)/) || [0, 1000, 3000]; if (from >= 3000 || to <= 1000) say("outside", from, to); } say(...[...seen].filter(Boolean).sort());'
[ "$(cat said.txt)" = "SM 1 SM 3" ] || { wrong "a part has something else in it"; head -3 said.txt; }
"$LOCKSTEP" report ht64.json fine.tl --timeline-sms 4000 -o part.html >/dev/null && grep -q 'There is nothing in the part' part.html || wrong "a part with nothing in it"

# 100,000 phases are far less than 20 MB.
phases=$("$LOCKSTEP" timeline fine.tl | sed -nE 's/^launch 0: .* warps in ([0-9]+) phases$/\1/p') bytes=$(($(wc -c <fine.html) - $("$LOCKSTEP" report ht64.json -o - | wc -c)))
[ "$phases" -gt 10000 ] && [ $((bytes * 100000 / phases)) -lt 2000000 ] || wrong "$phases phases take $bytes bytes"
finish
