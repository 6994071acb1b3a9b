#!/usr/bin/env bash
# Kernels of every kind on several threads: locks, barriers, atomics, local and shared memory, many small blocks, a device
# function that prints. Built with the thread sanitizer, as `make test` does, a data race fails the run.
set -uo pipefail
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
failed=0
for run in "2 ht1024 --max-cycles 12000" "4 reduce" "2 atom_spread" "4 barimb --max-cycles 4000" "2 localmem" "3 multi_cta --max-cycles 4000" \
    "2 bfs --max-cycles 12000" "2 waitsignal --max-cycles 12000" "3 spmv --machine gtx1080ti" \
    "2 reduce --machine apu128 --max-cycles 3000" "2 ht1024 --machine apu128 --protocol hlrc --max-cycles 3000" "3 atom_spread --set gpu.sms=100" \
    "2 bfs --machine gtx480-sm2 --protocol denovo-b --max-cycles 8000" "2 bfs --machine gtx480-sm2 --protocol rsp --max-cycles 8000"; do
    # shellcheck disable=SC2086
    set -- $run
    threads=$1 case=$2
    shift 2
    output=$("$LOCKSTEP" run --quiet --threads "$threads" "$@" "$case.yaml" 2>&1)
    code=$?
    limited=0
    [[ "$*" != *--max-cycles* ]] || limited=4
    if [ "$code" -ne 0 ] && [ "$code" -ne "$limited" ] || grep -q 'WARNING: ThreadSanitizer' <<<"$output"; then
        printf '%s\nFAILED with exit code %s: --threads %s %s %s\n' "$output" "$code" "$threads" "$case" "$*"
        failed=1
    fi
done
exit $failed
