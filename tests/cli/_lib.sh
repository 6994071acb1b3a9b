# Helpers of the scripts in this folder.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect CODE TEXT ARGUMENTS...: lockstep ARGUMENTS exits with CODE, and its output (both streams) has TEXT.
expect() {
    local code=$1 text=$2 output got
    shift 2
    output=$("$LOCKSTEP" "$@" 2>&1)
    got=$?
    if [ "$got" -ne "$code" ] || [[ $output != *"$text"* ]]; then
        printf 'lockstep %s\n  exit code %s, expected %s with: %s\n%s\n' "$*" "$got" "$code" "$text" "$output"
        failures=$((failures + 1))
    fi
}

finish() {
    [ "$failures" -eq 0 ] || exit 1
    echo ok
}

# wrong WORDS: the test goes on, and fails at its end.
wrong() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# little_locks FOLDER: ht64 of tests/reference with 4 blocks in place of 30, as FOLDER/ht64.yaml.
little_locks() {
    cp "$LOCKSTEP_SRC/tests/reference/ht.ptx" "$1"
    sed 's/^grid: .*/grid: [4, 1, 1]/; s/sum_u32: .*/sum_u32: 517056}/' "$LOCKSTEP_SRC/tests/reference/ht64.yaml" >"$1/ht64.yaml"
}

# begun PID: waits until a run is well under way, however slow the machine is: until its process and those that it began have
# computed for 0.2 seconds. False when it has ended before.
begun() {
    local process line fields ticks second
    second=$(getconf CLK_TCK)
    while kill -0 "$1" 2>/dev/null; do
        ticks=0
        for process in "$1" $(pgrep -P "$1"); do
            read -r line 2>/dev/null <"/proc/$process/stat" || continue
            fields=(${line##*) })
            ticks=$((ticks + ${fields[11]:-0} + ${fields[12]:-0}))
        done
        [ "$ticks" -lt $((second * 2 / 10)) ] || return 0
        sleep 0.05
    done
    return 1
}

# json TO OPTIONS...: lockstep run OPTIONS; its statistics without the members of "host" objects.
json() {
    local to=$1
    shift
    "$LOCKSTEP" run --quiet --stats "$to.json" "$@" >"$to.out" 2>&1 || { cat "$to.out"; wrong "run $* ended badly"; return 1; }
    stripped "$to"
}

# without_host FILE: the lines of a result outside of its "host" objects.
without_host() {
    awk '/"host": \{/ { inside = 1 } !inside { print } inside && /\}/ { inside = 0 }' "$1"
}

# stripped TO: TO has what TO.json has, without the members of "host" objects.
stripped() {
    without_host "$1.json" >"$1"
}

# bad SED TEXT: the study in mini, changed so, is refused with TEXT before anything runs.
bad() {
    [ -d bad ] || cp -r mini bad
    sed "$1" mini/study.yaml >bad/study.yaml
    cmp -s bad/study.yaml mini/study.yaml && wrong "nothing changed: $1"
    expect 2 "$2" study ./bad --list
}
