# Helpers for pages that a server has, behind _lib.sh: a browser that is told what to do through pipes, in Chromium's own protocol for
# its tools, so that a page needs no script of ours and its policy stays as it is.
browser_pid=
drive_end() {
    [ -z "$browser_pid" ] || { kill -KILL "$browser_pid" && wait "$browser_pid"; } 2>/dev/null
    browser_pid=
}

# told METHOD PARAMS: $answer is the browser's answer; what else it says meanwhile goes into events.txt, a line each.
told() {
    local id=$((++drive_id)) line
    printf '{"id":%d,"method":"%s","params":%s%s}\0' "$id" "$1" "${2:-{\}}" "${session:+,\"sessionId\":\"$session\"}" >&7
    while IFS= read -r -d '' -t 60 line <&8; do
        [[ $line == "{\"id\":$id,"* ]] && { answer=$line; return; }
        printf '%s\n' "$line" >>events.txt
    done
    wrong "the browser does not answer $1"
    finish
}

# drive ADDRESS WIDTH: begins a browser and opens the page.
drive() {
    drive_id=0 session=
    : >events.txt
    mkfifo to_browser from_browser
    # shellcheck disable=SC2086
    "$browser" $flags --user-data-dir="$folder/driven" --window-size="$2,900" --remote-debugging-pipe about:blank \
        3<to_browser 4>from_browser 2>driven.txt &
    browser_pid=$!
    exec 7>to_browser 8<from_browser
    told Target.createTarget '{"url":"about:blank"}'
    told Target.attachToTarget "{\"targetId\":\"$(sed -E 's/.*"targetId":"([0-9A-F]+)".*/\1/' <<<"$answer")\",\"flatten\":true}"
    session=$(sed -E 's/.*"sessionId":"([0-9A-F]+)".*/\1/' <<<"$answer")
    told Runtime.enable
    told Log.enable
    told Page.enable
    told Page.navigate "{\"url\":\"$1\"}"
}

# page SCRIPT: $shown is the text that the script, a function's body, gives; it may await.
page() {
    local script=${1//\\/\\\\}
    script=${script//\"/\\\"} script=${script//$'\n'/ }
    told Runtime.evaluate "{\"awaitPromise\":true,\"returnByValue\":true,\"replMode\":true,\"expression\":\"btoa(unescape(encodeURIComponent(await (async () => { $script })())))\"}"
    case $answer in
    *'"exceptionDetails"'*) wrong "a script of the test: $answer" ;;
    esac
    shown=$(sed -nE 's/.*"value":"([A-Za-z0-9+\/=]*)".*/\1/p' <<<"$answer" | base64 -d)
}

# What the page said amiss: messages, errors, refusals.
complaints() {
    grep -E '"method":"(Runtime.exceptionThrown|Runtime.consoleAPICalled|Log.entryAdded)"' events.txt
}
