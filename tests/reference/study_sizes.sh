#!/usr/bin/env bash
# The launch files of studies/bows: reference kernels with other grids and buffers. Each passes its checks, and runs the PTX of tests/reference,
# of which a study keeps copies since its launch files name what lies beside them.
set -uo pipefail
bad=0 files=0
for file in "$LOCKSTEP_SRC"/studies/bows/*.yaml; do
    ptx=$(sed -n 's/^ptx: //p' "$file")
    [ -n "$ptx" ] || continue
    files=$((files + 1))
    cmp "${file%/*}/$ptx" "$LOCKSTEP_SRC/tests/reference/$ptx" || bad=1
    "$LOCKSTEP" run --quiet --mode functional "$file" >/dev/null || { echo "FAILED: $file"; bad=1; }
done
[ "$files" -ge 4 ] || { echo "only $files launch files"; bad=1; }
exit $bad
