# Helpers of the scripts in this folder: pages as a browser shows them. A test looks at the page by a script of its own, which stands
# behind those of the page, may await, and prints lines by say(); what the page itself says amiss is printed before.
. "$(dirname "$0")/../cli/_lib.sh"
browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v "$name")
done
[ -n "$browser" ] || { echo "skipped: no Chromium is installed (tools/bootstrap brings chromium-headless-shell)"; exit 77; }
export HOME=$folder
flags="--headless --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking --disable-component-update"
[ "$(id -u)" -ne 0 ] || flags="$flags --no-sandbox"

# browse PAGE WIDTH [OPTIONS...]: the page's document when its scripts have run, on standard output; console messages in console.txt.
browse() {
    local page=$1 width=$2
    shift 2
    # shellcheck disable=SC2086
    timeout 120 "$browser" $flags --user-data-dir="$folder/browser" --enable-logging=stderr --window-size="$width,900" \
        --virtual-time-budget=5000 --dump-dom "$@" "file://$(realpath "$page")" 2>stderr.txt
    grep CONSOLE stderr.txt >console.txt
}

# look PAGE WIDTH SCRIPT [OPTIONS...]: what SCRIPT says of the page, in said.txt. Errors of the page's scripts, refusals of its policy and
# whatever it loads are said first.
look() {
    local page=$1 width=$2 script=$3
    shift 3
    { cat <<'H'
<script>
window.said = [];
window.say = (...words) => said.push(words.join(' '));
addEventListener('error', event => say('error:', event.message));
addEventListener('unhandledrejection', event => say('error:', event.reason));
addEventListener('securitypolicyviolation', event => say('refused:', event.blockedURI));
console.error = (...words) => say('console:', ...words);
window.requestAnimationFrame = draw => setTimeout(draw); // in virtual time some frames never come
</script>
H
    cat "$page"
    cat <<H
<script>
addEventListener('load', () => setTimeout(async () => {
  for (const entry of performance.getEntriesByType('resource')) say('loaded:', entry.name);
  try { $script } catch (error) { say('error:', error); }
  document.documentElement.innerHTML = '<body><pre id=said></pre>';
  document.getElementById('said').textContent = said.join('\n');
}, 200));
</script>
H
    } >looked.html
    browse looked.html "$width" "$@" | sed -n '/<pre id="said">/,$p' | sed 's/.*<pre id="said">//; s/<\/pre>.*//' |
        sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >said.txt
    [ -s said.txt ] || { wrong "the browser shows nothing of $page"; tail -3 stderr.txt; }
}

# The numbers of a file that the page offers, by the begin of its name: an array of rows.
csv='const csv = name => decodeURIComponent([...document.querySelectorAll("a[download]")].find(a => a.download.startsWith(name)).href.replace(/^[^,]*,/, "")).trim().split("\n").map(row => row.split(","));'

# clean PAGE NAME: the page says nothing amiss, loads nothing, draws its figures, is not wider than narrow and wide screens, is dark
# where that is asked for, and can be used by keys.
clean() {
    local width
    browse "$1" 1280 >shown.html
    [ ! -s console.txt ] || { wrong "$2: messages on the console"; cat console.txt; }
    for width in 360 1280; do
        look "$1" $width 'const wide = document.documentElement.scrollWidth - innerWidth;
            if (wide > 0) say("wider than", innerWidth, "by", wide, [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest(".scroll, .unseen, .contents")).slice(0, 3).map(e => e.outerHTML.slice(0, 90)));
            for (const c of document.querySelectorAll(".chart")) if (!c.querySelector("canvas")?.width) say("not drawn:", c.ariaLabel);
            for (const c of document.querySelectorAll(".timeline")) if (!(c.querySelector("canvas")?.width > 200)) say("not drawn: a timeline");
            for (const c of document.querySelectorAll(".chart, .timeline canvas, .scroll:has(> table)")) if (c.tabIndex !== 0) say("no key reaches", c.outerHTML.slice(0, 60));
            for (const c of document.querySelectorAll("a[href^=\"#\"]")) if (!document.getElementById(decodeURIComponent(c.hash.slice(1)))) say("leads nowhere:", c.hash);
            const ids = [...document.querySelectorAll("[id]")].map(e => e.id); if (new Set(ids).size < ids.length) say("an id is there twice:", ids.find((id, i) => ids.indexOf(id) < i));
            say("done", innerWidth);'
        [ "$(cat said.txt)" = "done $width" ] || { wrong "$2, $width wide:"; head -20 said.txt; }
    done
    for scheme in "0 dark" "1 light"; do
        look "$1" 800 'const sum = c => c.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0), s = getComputedStyle(document.body);
            say(sum(s.backgroundColor) < sum(s.color) ? "dark" : "light");' --blink-settings=preferredColorScheme="${scheme% *}"
        [ "$(cat said.txt)" = "${scheme#* }" ] || { wrong "$2 is not ${scheme#* }"; head -5 said.txt; }
    done
}
