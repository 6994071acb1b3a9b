#!/usr/bin/env bash
# docs/schedulers.md has a row for every scheduler and for every option of one, with its values, and for every fetch policy.
set -uo pipefail
page=$LOCKSTEP_SRC/docs/schedulers.md
failed=0
missing() {
    echo "docs/schedulers.md has no row for $*"
    failed=1
}
ask() { "$LOCKSTEP" run --sched "$1" "$LOCKSTEP_SRC/tests/reference/vecadd.yaml" 2>&1; }

names=$(ask "no such" | sed -n 's/.*known schedulers: \([^;]*\);.*/\1/p')
[ "$(wc -w <<<"$names")" -ge 4 ] || { echo "known schedulers: $names"; exit 1; }
options=0
for name in $names; do
    grep -q "^| \`$name\` | [^\`]" "$page" || missing "$name"
    for option in $(ask "$name:=" | sed -n 's/.*options: //p' | tr -d ,); do
        options=$((options + 1))
        row=$(grep "^| \`$name\` | \`$option\` |" "$page") || { missing "$name:$option"; continue; }
        for value in $(ask "$name:$option=none of these" | sed -n 's/.*one of: //p' | tr -d ,); do
            grep -q "\b$value\b" <<<"$row" || missing "$name:$option=$value"
        done
    done
done
[ "$options" -ge 6 ] || { echo "only $options options"; exit 1; }
names=$("$LOCKSTEP" run --fetch none "$LOCKSTEP_SRC/tests/reference/vecadd.yaml" 2>&1 | sed -n 's/.*known fetch policies: //p' | tr -d ,)
[ "$(wc -w <<<"$names")" -ge 4 ] || { echo "known fetch policies: $names"; exit 1; }
for name in $names; do
    grep -q "^| \`$name\` | [^\`]" <<<"$(sed -n '/^## Fetch/,/^## One/p' "$page")" || missing "fetch policy $name"
done
exit $failed
