#!/usr/bin/env bash
# docs/spin.md has a row for every parameter of spin detection and back-off, with its initial value, and for every detector.
set -uo pipefail
page=$LOCKSTEP_SRC/docs/spin.md
failed=0 rows=0
missing() {
    echo "docs/spin.md has no row for $*"
    failed=1
}
while read -r name value _; do
    rows=$((rows + 1))
    grep -q "^| \`$name\` | $value |" "$page" || missing "$name with $value"
done < <("$LOCKSTEP" params | grep '^spin\.')
[ "$rows" -ge 20 ] || { echo "only $rows parameters"; exit 1; }
for name in $("$LOCKSTEP" run --set spin.measure=true --set spin.detector=none "$LOCKSTEP_SRC/tests/reference/vecadd.yaml" 2>&1 |
    sed -n 's/.*known detectors: //p' | tr -d ,); do
    rows=$((rows + 100))
    grep -q "^| \`$name\` | [^|]" "$page" || missing "detector $name"
done
[ "$rows" -ge 300 ] || { echo "no detectors"; exit 1; }
exit $failed
