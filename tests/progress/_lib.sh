# Helpers of the scripts in this folder.
set -uo pipefail
here=$LOCKSTEP_SRC/tests/progress
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

wrong() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

finish() {
    [ "$failures" -eq 0 ] || exit 1
    echo ok
}
