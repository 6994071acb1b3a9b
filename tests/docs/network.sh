#!/usr/bin/env bash
# Every core of src/network/cores.def has its row in docs/network.md, and no source but its own files and the list asks for it by name.
set -uo pipefail
cd "$LOCKSTEP_SRC" || exit 1
failed=0
cores=$(sed -n 's/^NETWORK_CORE(\(.*\))$/\1/p' src/network/cores.def)
[ "$(wc -w <<<"$cores")" -ge 2 ] || { echo "no cores found in src/network/cores.def"; exit 1; }
for core in $cores; do
    grep -q "^| \`$core\` |" docs/network.md || { echo "docs/network.md has no row for core $core"; failed=1; }
    named=$(grep -rlE --include='*.[ch]' --include='*.def' "\"$core\"|network_core_$core|${core}_[a-z]+\(" src | grep -vE "^src/network/($core(_[a-z]+)?\.[ch]|cores\.def)$")
    [ -z "$named" ] || { echo "core $core is named in $named"; failed=1; }
done
exit $failed
