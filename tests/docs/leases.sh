#!/usr/bin/env bash
# docs/leases.md has the tables of the protocol as they are printed, and the default length of a lease.
set -uo pipefail
cd "$LOCKSTEP_SRC" || exit 1
page=docs/leases.md
failed=0
"$LOCKSTEP" protocols lease >/dev/null || exit 1
for side in L1 directory; do
    printed=$("$LOCKSTEP" protocols lease | sed -n "/^$side  *state  *next/,/^\$/s/ *\$//p" | sed '/^$/d')
    has=$(sed -n "/^$side  *state  *next/,/^\`\`\`/p" "$page" | sed '/^```/d')
    [ "$(wc -l <<<"$printed")" -gt 10 ] || { echo "lockstep protocols lease prints no table of the $side"; failed=1; }
    [ "$printed" = "$has" ] || { diff <(echo "$has") <(echo "$printed"); echo "$page: the table of the $side is another one"; failed=1; }
done
length=$("$LOCKSTEP" params | sed -n 's/^ *coherence\.lease  *\([0-9]*\).*/\1/p')
grep -q "| $length (default) |" "$page" || { echo "$page does not say that a lease is $length cycles long by default"; failed=1; }
exit $failed
