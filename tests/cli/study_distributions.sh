#!/usr/bin/env bash
# Single runs asked as a distribution: median, quartiles and rank test of SQL, against what the test counts itself.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
little_locks mini
a="3.5 8 1 40 7.25" b="2 9 41 50 60.5 70"
{
    echo case,side,x
    for x in $a; do echo "apart,a,$x"; done
    for x in $b; do echo "apart,b,$x"; done
    for x in 1 2 2 3; do echo "tied,1,$x"; done
    for x in 2 3 4 4; do echo "tied,2,$x"; done
    echo alone,a,7
} >mini/t.csv
cat >mini/study.yaml <<'Y'
title: distributions
benchmarks:
  HT: {program: ht64.yaml}
readings:
  plain: [sm.age_rotation=50000]
runs:
  - {benchmarks: [HT], machines: [gtx480], schedulers: [gto], readings: [plain], seeds: 3}
tables:
  t: t.csv
figures:
  - {id: R, kind: table, title: ranks, sql: "SELECT \"case\" || CASE WHEN ranktest(x, side) IS NULL THEN ' none' ELSE printf(' %.9f', ranktest(x, side)) END AS rank FROM t GROUP BY \"case\""}
  - {id: Q, kind: table, title: quantiles, sql: "SELECT printf('%s %.6f %.6f %.6f %.6f', side, median(x), quantile(x, 0.25), quantile(x, 0.75), quantile(x, 1)) AS q FROM t WHERE \"case\" = 'apart' GROUP BY side"}
  - {id: N, kind: table, title: nothing, sql: "SELECT ifnull(median(x), 'none') || ifnull(quantile(x, 0), 'none') || ifnull(ranktest(x, side), 'none') AS n FROM t WHERE side = 'c'"}
  - {id: V, kind: table, title: runs, sql: "SELECT printf('runs %d %.1f %.1f', count(cycles), median(cycles), median(nullif(cycles, 0))) FROM variants_of_results"}
Y
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; grep -o '<td>[^<]*' "$1"; }
}
expect 0 "page: out/index.html" study ./mini --out out
cycles=$(sqlite3 out/full.sqlite "SELECT cycles FROM variants_of_results ORDER BY cycles" | sed -n 2p)
has out/index.html "<td>runs 3 $cycles.0 $cycles.0"

# All choices of five places among eleven: how many have a sum of ranks as far from its mean as that of a.
p=$(awk -v a="$a" -v b="$b" 'BEGIN {
    m = split(a, x, " "); n = split(b, y, " ")
    for (i = 1; i <= m; i++) for (k = 1; k <= n; k++) u += x[i] + 0 > y[k] + 0
    for (choice = 0; choice < 2 ^ (m + n); choice++) {
        taken = above = below = 0
        for (i = 0; i < m + n; i++) if (int(choice / 2 ^ i) % 2) { taken++; above += below } else below++
        if (taken == m) { all++; far += (above - m * n / 2) ^ 2 >= (u - m * n / 2) ^ 2 }
    }
    printf "%.9f", far / all
}')
has out/index.html "<td>apart $p"
# With ties: U = 2.5 of 16 pairs, mean 8, ties of 3, 2 and 2 numbers among 8: sum of t^3 - t is 36.
p=$(awk 'function normal(z, i, sum) { for (i = 0; i < 200000; i++) sum += exp(-((z + (i + 0.5) * 5e-5) ^ 2) / 2) * 5e-5; return sum / sqrt(2 * 3.14159265358979) }
    BEGIN { printf "%.6f", 2 * normal((8 - 2.5 - 0.5) / sqrt(16 / 12 * (9 - 36 / 56))) }')
has out/index.html "<td>tied $p"
has out/index.html "<td>alone none"
# 1 3.5 7.25 8 40, and 2 9 41 50 60.5 70.
has out/index.html "<td>a 7.250000 3.500000 8.000000 40.000000"
has out/index.html "<td>b 45.500000 17.000000 57.875000 70.000000"
has out/index.html "<td>nonenonenone"

bad() {
    rm -rf bad
    cp -r mini bad
    sed -i "$1" bad/study.yaml
    expect 2 "$2" study ./bad --out out --report
}
bad 's/ranktest(x, side)/ranktest(x, x)/' "side has more than two values"
bad 's/quantile(x, 0.75)/quantile(x, 75)/' "share is from 0 to 1"
finish
