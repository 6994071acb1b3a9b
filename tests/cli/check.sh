#!/usr/bin/env bash
# lockstep check: every protocol is proved in small configurations, and what it prints and exits with. That it finds faults is
# shown by unit.check.mutations. With LOCKSTEP_LONG the configurations are larger, and take some minutes.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# Every protocol is asked all programs, shortly.
"$LOCKSTEP" check --quiet --accesses 1 --transitions >"$folder/once" || wrong "not all is proved"
for protocol in vi rsp denovo-b denovo-b-eager hlrc hlrc-scoped msi lease; do
    grep -q "^$protocol  *lock  *1  *[0-9]" "$folder/once" || wrong "nothing of $protocol"
    grep -q "^$protocol: .* transitions of the L1 were taken" "$folder/once" || wrong "no transitions of $protocol"
    # Data goes from one thread to another and back.
    expect 0 "proved" check --quiet --program turn --accesses 3 "$protocol"
    expect 0 "proved" check --quiet --program both --ways 2 --accesses 2 "$protocol"
    # Three L1s.
    expect 0 "proved" check --quiet --program lock --caches 3 --accesses 1 "$protocol"
done
grep -q "FAULT\|not finished" "$folder/once" && wrong "a fault, or an end before the end"
# Every time it says as much.
for time in first second; do
    "$LOCKSTEP" check --quiet --accesses 1 --transitions hlrc >"$folder/$time"
done
[ -s "$folder/first" ] && cmp -s "$folder/first" "$folder/second" || wrong "two searches differ"

# Fewer accesses of all together than of each; where the search would be long a program has a bound.
expect 0 "2, 3 in all" check --quiet --program mix --caches 3 --lines 2 --together 3 hlrc
expect 1 "2, 5 in all" check --quiet --program mix --caches 3 --lines 2 --depth 5 hlrc
expect 1 "mix      2       " check --quiet --program mix --caches 3 --lines 2 --accesses 2 --depth 5 hlrc

# A fault: under vi nobody sees at remote scope what was done at the scope of a block. The way to it is told.
expect 1 "two threads have taken the guard in line 0 at a time" check --quiet --program steal vi
expect 1 "atom.acq_rel.remote.cas line 0 [0], 1 if 0" check --quiet --program steal vi

# Mbarriers: all programs, and what a number may be.
"$LOCKSTEP" check --quiet mbarrier >"$folder/mbarrier" || wrong "not all of mbarriers is proved"
[ "$(grep -c '^mbarrier .* 3 phases .* proved' "$folder/mbarrier")" -ge 34 ] || wrong "few programs of mbarriers"
expect 0 "pipeline3, limits  8 phases" check --quiet --program pipeline3 --accesses 8 mbarrier
expect 1 "limit of states" check --quiet --program token4 --states 100 mbarrier
expect 2 "mbarriers are followed through 1 to 8 phases" check --quiet --accesses 9 mbarrier
expect 2 "there is no program of mbarriers named lock" check --quiet --program lock mbarrier
expect 0 "Programs of mbarriers:" check --help

# Generated programs: by number, with what they are made of; those that make no sense are passed over.
expect 0 "g0 apart lock rmw store plain 4+4 beside" check --quiet --generated 2 --accesses 2 --together 3 vi
expect 0 "g2 same ticket" check --quiet --generated 2 --accesses 1 hlrc
expect 0 "g6 apart flag rmw store block_fails 8+8 both near_data block_fails_data" check --quiet --program g6 --sets 2 --l2sets 2 --lines 3 --accesses 1 denovo-b
expect 1 "limit of states" check --quiet --program g6 --states 100 vi
expect 2 "there is no generated program g1 for vi" check --quiet --program g1 vi
expect 2 "L1s and the L2 have 1, 2 or 4 sets" check --quiet --sets 3 vi

# Limits.
expect 1 "not finished: limit of depth" check --quiet --program lock --depth 5 hlrc
expect 0 "L1s" check --help
expect 0 "a thread in every L1 takes a lock" check --help
expect 2 "hlrc" check hlcr
expect 2 "gpu has no states to be explored" check gpu
expect 2 "there is no program named lokc" check --program lokc hlrc
expect 2 "--caches 5: expected a number from 1 to 4" check --caches 5 hlrc
expect 2 "--lines 0: expected a number from 1 to 3" check --lines 0 hlrc
expect 2 "lockstep check has no option --slots" check --slots 2 hlrc

if [ -n "${LOCKSTEP_LONG:-}" ]; then
    expect 0 "proved" check --quiet --accesses 2
    expect 0 "proved" check --quiet --caches 3 --lines 2 vi hlrc-scoped
    for protocol in vi rsp denovo-b denovo-b-eager hlrc hlrc-scoped msi lease; do
        expect 0 "proved" check --quiet --program turn --caches 3 --accesses 2 "$protocol"
        expect 0 "proved" check --quiet --program turn --program both --program locks --ways 2 --accesses 4 "$protocol"
    done
fi
finish
