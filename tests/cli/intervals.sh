#!/usr/bin/env bash
# --interval: results are the same with it; intervals add up to the statistics, and are the same by whatever way the run goes; the table
# and the CSV; what it cannot be combined with and written over.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
little_locks .
case=ht64.yaml
# cut FILE: without its intervals.
cut_intervals() {
    awk '/"intervals": \{/ { inside = 1; match($0, /^ */); depth = RLENGTH } !inside { print }
        inside && /\}/ { match($0, /^ */); inside = RLENGTH > depth }' "$1" | sed 's/,$//'
}
json plain "$case"
json with --interval 700 --intervals with.csv "$case"
cut_intervals with >with.rest
sed 's/,$//' plain | diff - with.rest >difference || { cat difference; wrong "results depend on --interval"; }
for how in --no-skip "--threads 2" "--checkpoint-every 5000 --checkpoint at%c"; do
    # shellcheck disable=SC2086
    json other --interval 700 --intervals other.csv $how "$case"
    cmp -s with other || wrong "intervals depend on $how"
    cmp -s with.csv other.csv || wrong "the CSV depends on $how"
done
for at in at*; do
    json other --interval 700 --resume "$at"
    grep -A1000000 '"intervals"' with >a
    grep -A1000000 '"intervals"' other | cmp -s - a || wrong "intervals go on otherwise from checkpoint $at"
done
expect 2 "it was taken with --interval 700, and is continued with --interval 800" run --interval 800 --resume "$at"
expect 2 "it was taken with --interval 700, and is continued with no observer" run --resume "$at"

# Columns of the CSV against the statistics.
awk -F, 'NR == 1 { for (i = 4; i <= NF; i++) name[i] = $i; next }
    { if ($3 != from) print "from", $3, from; from += $4; if ($4 > 700) print "long"; for (i = 4; i <= NF; i++) sum[i] += $i }
    END { for (i = 4; i in name; i++) print name[i], sum[i] }' with.csv | sort >sums
awk '/"kernels": \[/ { inside = 1 } !inside { next } /^ *"[a-z0-9]+": \{/ { gsub(/[":{ ]/, ""); group = $0; next } /^ *"[a-z_0-9]+": [0-9]+,?$/ { gsub(/[":,]/, ""); print (group ? group "." : "") $1, $2 }' plain |
    sort >statistics
awk 'NR == FNR { of[$1] = $2; next } $1 ~ /\./ && $1 !~ /^words\./ { n++; if (of[$1] != $2) print $1, $2, of[$1] } END { if (n < 60) print n, "columns" }' statistics sums >odd
[ ! -s odd ] || { cat odd; wrong "intervals do not add up"; }
grep -q '^sm.warp_instructions [1-9]' sums && grep -q '^l2.reads [1-9]' sums && grep -q '^network.packets [1-9]' sums && grep -q '^dram.reads [1-9]' sums || wrong "columns are missing"
grep -q '^words.held [1-9]' sums && grep -q '^words.waited [1-9]' sums && grep -q '^words.warps_waited [1-9]' sums || wrong "locks are missing"

"$LOCKSTEP" run --interval 700 "$case" >table
grep -q '^intervals of .*: [0-9]* of 700 cycles, [0-9]* in a row$' table || { cat table; wrong "there is no table"; }
grep -q '^ *from .*locks held  waiting  busiest with' table || { cat table; wrong "the table has no locks"; }
[ "$(awk '/^intervals of/ { inside = 1 } inside && $1 ~ /^[0-9]+$/ { n++ } END { print n }' table)" -le 24 ] || wrong "the table is long"
"$LOCKSTEP" run --quiet --interval 700 --intervals - "$case" 2>/dev/null | cmp -s - with.csv || wrong "--intervals -"
"$LOCKSTEP" run --quiet --interval 700 --stats all.csv "$case" >/dev/null && ! grep -q intervals all.csv || wrong "the CSV of statistics has intervals"
expect 0 "no statistic differs" compare with.json plain.json
expect 2 "--interval 0: expected a number of cycles above 0" run --interval 0 "$case"
expect 2 "--intervals needs --interval" run --intervals x.csv "$case"
expect 2 "intervals (--interval) need timing mode" run --interval 5 --mode functional "$case"
echo precious >notes
expect 2 "notes is there and holds something else than statistics by intervals" run --interval 5 --intervals notes "$case"
finish
