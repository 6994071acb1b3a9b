# Helpers of scripts about profiles of CUDA programs; comes behind _lib.sh. The script goes on in its folder.
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1

# behind FILE: what a result has of profiles behind their instructions.
behind() {
    awk '/^    "instructions": \[/ { inside = 1 } !inside { print } /^    \],?$/ { inside = 0 }' "$1"
}
# sentence FILE: the first sentence of its report, in one line.
sentence() {
    awk '/^- / { if (found) exit; found = 1 } found { printf "%s%s", gap, substr($0, 3); gap = " " } END { print "" }' "$1"
}
# is_said FILE TEXT: the first sentence matches it.
is_said() {
    sentence "$1" | grep -qE "$2" || { cat "$1"; wrong "the first sentence does not say: $2"; }
}
# all_ways PROGRAM CYCLES: its profile is the same by whatever way it runs, also from a checkpoint every CYCLES.
all_ways() {
    local how
    rm -f at
    for how in --no-skip "--threads 2" "--checkpoint-every $2 --checkpoint at"; do
        # shellcheck disable=SC2086
        json other --profile $how "./$1"
        cmp -s "$1.stats" other || wrong "the profile of $1 depends on $how"
    done
    json other --profile --allow-code --resume at
    cmp -s "$1.stats" other || wrong "the profile of $1 goes on otherwise from a checkpoint"
}
# profiled PROGRAM: builds PROGRAM.cu, and runs it to PROGRAM.stats and PROGRAM.stats.out.
profiled() {
    "$LOCKSTEP" cc "$1.cu" -o "$1" || exit 1
    json "$1.stats" --profile "./$1"
    awk 'length > 80' "$1.stats.out" | grep . && wrong "lines are too long"
}
