# Helpers of the scripts about runs that are watched, behind _lib.sh.
[ -e "$LOCKSTEP_BUILD/lib/lockstep/lockstep-monitor.so" ] || { echo "skipped: built without libmicrohttpd"; exit 77; }

run=
trap '[ -z "$run" ] || kill -KILL "$run" 2>/dev/null; rm -rf "$folder"' EXIT

# watched FOLDER OPTIONS...: begins lockstep run OPTIONS as a process of its own, $run, whose statistics and output are FOLDER/json,
# FOLDER/out and FOLDER/err; and finds out $port and $token.
watched() {
    local to=$1 address
    shift
    mkdir -p "$to"
    : >"$to/err" # else the address of the run before may stand there still
    "$LOCKSTEP" run --quiet --monitor 0 --stats "$to/json" "$@" >"$to/out" 2>"$to/err" &
    run=$! port= token=
    for ((i = 0; i < 600; i++)); do
        address=$(sed -n 's|^lockstep: the run can be watched at \(http://127.0.0.1:[0-9]*/[0-9a-f]*/\)$|\1|p' "$to/err")
        [ -z "$address" ] || break
        kill -0 "$run" 2>/dev/null || break
        sleep 0.05
    done
    port=${address#http://127.0.0.1:} port=${port%%/*}
    token=${address%/} token=${token##*/}
    [ -n "$port" ] && [ ${#token} -eq 32 ] || { cat "$to/err"; wrong "nobody can watch $*"; finish; }
}

# ended FOLDER: the run ends well; FOLDER/result has its statistics without the members of "host" objects, and what it printed.
ended() {
    wait "$run" || { cat "$1/err"; wrong "the run that was watched ended with $?"; }
    run=
    { without_host "$1/json" && cat "$1/out"; } >"$1/result"
}

# ask METHOD TARGET [HEADERS...]: sets $code and $answer. HEADERS: lines, in the place of the usual Host.
ask() {
    local method=$1 target=$2 lines
    shift 2
    code= answer=
    [ $# -gt 0 ] || set -- "Host: 127.0.0.1:$port"
    lines=$({
        printf '%s %s HTTP/1.1\r\n' "$method" "$target" >&9
        printf '%s\r\n' "$@" "Connection: close" "" >&9
        tr -d '\000\r' <&9
    } 2>/dev/null 9<>"/dev/tcp/127.0.0.1/$port") || return 1
    code=${lines#HTTP/1.? } code=${code%% *}
    answer=${lines#*$'\n\n'}
}

# act WHAT: asks the run for it.
act() {
    ask POST "/$token/$1"
    [ "$code" = 200 ] || wrong "$1 is answered $code: $answer"
}

# look: $state is what the page sees; nothing where nobody answers.
look() {
    state=
    ask GET "/$token/state" && [ "$code" = 200 ] && state=$answer
}

# number NAME: the last one of that name in $state. word NAME: likewise, a text or a truth.
number() {
    grep -o "\"$1\":[0-9.]*" <<<"$state" | tail -n 1 | cut -d: -f2
}
word() {
    grep -oE "\"$1\":(\"[^\"]*\"|true|false|null)" <<<"$state" | tail -n 1 | cut -d: -f2 | tr -d '"'
}

# until PATTERN: looks until the state has it.
until_seen() {
    for ((i = 0; i < 1200; i++)); do
        look || { wrong "the run has ended before $1 was seen"; return 1; }
        grep -qE "$1" <<<"$state" && return
        sleep 0.05
    done
    echo "$state"
    wrong "never seen: $1"
    return 1
}

# held_after WHAT: asks for it and waits until the run has done it and is held again.
held_after() {
    act "$1"
    until_seen "\"held\":true.*\"order\":$(grep -o '[0-9]*' <<<"${answer#*order}" | head -n 1)[,}]"
}

# causes: the sum of the last "warps" object of causes in $state.
causes() {
    grep -oE '"warps":\{[^}]*\}' <<<"$state" | tail -n 1 | grep -oE ':[0-9]+' | tr -d : | awk '{ n += $1 } END { print n + 0 }'
}
