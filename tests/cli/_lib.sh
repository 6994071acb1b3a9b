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
    if [ "$got" -ne "$code" ] || ! grep -qF -- "$text" <<<"$output"; then
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

# json TO OPTIONS...: lockstep run OPTIONS; its statistics without the members of "host" objects.
json() {
    local to=$1
    shift
    "$LOCKSTEP" run --quiet --stats "$to.json" "$@" >"$to.out" 2>&1 || { cat "$to.out"; wrong "run $* ended badly"; return 1; }
    awk '/"host": \{/ { inside = 1 } !inside { print } inside && /\}/ { inside = 0 }' "$to.json" >"$to"
}
