# Sourced by scripts of this folder: a scratch folder, and json FILE CASE OPTIONS..., a run's statistics without the members of "host"
# objects, which stand alone between their braces.
set -uo pipefail
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

json() {
    local to=$1 case=$2
    shift 2
    "$LOCKSTEP" run --quiet --stats "$to.json" "$@" "$case" >"$to.out" 2>&1 || { cat "$to.out"; return 1; }
    awk '/"host": \{/ { inside = 1 } !inside { print } inside && /\}/ { inside = 0 }' "$to.json" >"$to"
}
