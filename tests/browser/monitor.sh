#!/usr/bin/env bash
# The page of a run that is watched, in a browser: what it shows is what the run says, before, while and after it is held; its buttons
# hold the run, step it and let it go; it is not wider than a narrow screen, dark where that is asked for, and says nothing amiss.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/../cli/_monitor.sh"
. "$(dirname "$0")/_drive.sh"
trap 'drive_end; [ -z "$run" ] || kill -KILL "$run" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cp "$LOCKSTEP_SRC/tests/reference/ht.ptx" .
sed '/^check:/,$d; s/u32: 2}/u32: 32}/; s/7744/122944/; s/7680/122880/' "$LOCKSTEP_SRC/tests/reference/ht64.yaml" >ht64.yaml
watched first --hold ht64.yaml
drive "http://127.0.0.1:$port/$token/" 1280

# The page as it must be, made here from what the run says, beside the page: rows that differ. The run is held meanwhile.
agrees='const all = id => [...document.getElementById(id).rows].map(r => [...r.cells].map(c => c.textContent).join("|")), n = v => v.toLocaleString("en"), f = (v, digits) => v === null ? "" : v.toFixed(digits);
    await new Promise(done => setTimeout(done, 1300));
    const {now, target} = await (await fetch("state")).json(), {last} = now, rows = Object.fromEntries(all("numbers").map(r => r.split("|"))), bad = [];
    const same = (what, is, wanted) => { if (String(is) !== String(wanted)) bad.push(`${what}: ${is}, not ${wanted}`); };
    same("target", document.getElementById("target").textContent, target);
    same("state", document.getElementById("state").textContent, now.state + (now.held && now.state !== "paused" ? ", held" : ""));
    same("kernel", rows.kernel, `${now.kernel}, launch ${now.launch}, grid ${now.grid.join(" x ")}, block ${now.block.join(" x ")}`);
    same("cycles", rows.cycles, n(now.cycle)); same("blocks", rows["blocks that have ended"], `${n(now.blocks_done)} of ${n(now.blocks)}`);
    same("instructions", rows["warp instructions"], n(now.warp_instructions));
    same("IPC", rows["IPC (instructions of threads)"], f(now.ipc, 2) + (last ? `, of late ${f(last.ipc, 2)}` : ""));
    same("warp IPC", rows["IPC (instructions of warps)"], f(now.warp_ipc, 3) + (last ? `, of late ${f(last.warp_ipc, 3)}` : ""));
    const causes = Object.entries(last && last.cycles ? last.warps : now.warps).sort((a, b) => b[1] - a[1]), sum = causes.reduce((a, c) => a + c[1], 0);
    same("causes", all("causes").join(";"), causes.map(([name, v]) => `${name}|${n(v)}|${(100 * v / sum).toFixed(1)} %|`).join(";"));
    const groups = now.waits ? now.waits.groups.map(g => [n(g.warps), g.cause, g.kind, g.where, g.what, g.example].join("|")) : [];
    if (now.waits && now.waits.more) groups.push(`|and ${now.waits.more} groups more`);
    same("groups", all("groups").slice(1).join(";"), groups.join(";"));
    same("report", document.getElementById("report").textContent, now.waits ? now.waits.report : "");
    same("unfinished", document.getElementById("unfinished").textContent, now.waits ? `(${n(now.waits.unfinished)})` : "");'
# held WHAT: the page agrees with the run, which is held; $cycle is where, $groups how many groups of warps there are.
held() {
    page "$agrees"' return [rows.cycles.replace(/,/g, ""), groups.length, bad.length, ...bad].join("\n");'
    cycle=$(sed -n 1p <<<"$shown") groups=$(sed -n 2p <<<"$shown")
    [ "$(sed -n 3p <<<"$shown")" = 0 ] || { wrong "$1: the page says something else than the run"; tail -n +4 <<<"$shown"; }
    look
    [ "$(number cycle)" = "$cycle" ] || wrong "$1: the page is at cycle $cycle, the run at $(number cycle)"
}
# press BUTTON: and waits until the run has done it.
press() {
    local before
    look
    before=$(number order)
    page "document.getElementById('$1').click(); return '';"
    until_seen "\"order\":$((before + 1))[,}]" || finish
}

until_seen '"state":"paused"'
held "held at its beginning"
[ "$cycle" = 0 ] || wrong "it does not begin at cycle 0"

# Steps by the button, as long as the page's field says; warps then wait for locks.
page 'document.getElementById("cycles").value = 30000; return "";'
press step
until_seen '"held":true'
held "held after a step"
[ "${cycle:-0}" -ge 30000 ] && [ "$cycle" -lt 40000 ] || wrong "a step of 30000 cycles leads to $cycle"
[ "${groups:-0}" -gt 2 ] || wrong "no warps are seen to wait"
page 'return document.getElementById("report").textContent;'
grep -q 'waits\? for' <<<"$shown" || wrong "nobody waits for anybody"
before=$cycle
press window
until_seen '"held":true'
held "held at the next window"
[ "$cycle" -gt "$before" ] || wrong "the next window is not later"

# It goes on, to be seen, and pauses.
press run
page 'const cycles = () => Number(document.getElementById("numbers").rows[1].cells[1].textContent.replace(/,/g, "")), from = cycles();
    for (let i = 0; i < 100 && cycles() === from; i++) await new Promise(done => setTimeout(done, 100)); return document.getElementById("state").textContent + " " + (cycles() > from);'
[ "$shown" = "running true" ] || wrong "it is not seen to go on: $shown"
press pause
until_seen '"state":"paused"'
held "paused"

# Without --checkpoint there are no checkpoints to ask for.
page 'return String(document.getElementById("checkpoint").disabled);'
[ "$shown" = true ] || wrong "a checkpoint can be asked for"
# Narrow, dark, light; by keys.
told Emulation.setDeviceMetricsOverride '{"width":360,"height":800,"deviceScaleFactor":1,"mobile":false}'
page 'return String(document.documentElement.scrollWidth - innerWidth);'
[ "$shown" -le 0 ] || wrong "the page is wider than a narrow screen by $shown"
for scheme in dark light; do
    told Emulation.setEmulatedMedia "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"$scheme\"}]}"
    page 'const sum = c => c.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0), s = getComputedStyle(document.body); return sum(s.backgroundColor) < sum(s.color) ? "dark" : "light";'
    [ "$shown" = $scheme ] || wrong "the page is not $scheme"
done
page 'const all = [...document.querySelectorAll("button, input")]; return String(all.length === 6 && all.every(b => b.tabIndex === 0));'
[ "$shown" = true ] || wrong "keys do not reach all buttons"
complaints && wrong "the page says something amiss"

# To its end.
press run
ended first
for ((i = 0; i < 100; i++)); do
    page 'return document.getElementById("state").textContent;'
    [ "$shown" = "the run has ended" ] && break
    sleep 0.1
done
[ "$shown" = "the run has ended" ] || wrong "the page does not say that the run has ended: $shown"
drive_end
finish
