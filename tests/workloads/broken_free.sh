# As broken.sh, for programs without synchronization but barriers: a row for each thing that a program checks.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

broken backprop 's/= sums\[0\]\[x\];/= sums[1][x];/' 1 'FAILED' --small
broken backprop 's/weights\[i \* HIDDEN + x\] += change;//' 1 'FAILED' --small
broken bfs 's/level\[w\] = next_level;/level[w] = v;/' 1 'FAILED' --small
broken bfs 's/&level\[w\], UNVISITED, next_level)/\&level[w], UNVISITED, v)/' 1 'FAILED' --small --queue 1
broken btree 's/if (nodes\[at\].keys\[threadIdx.x\] == key)/if (nodes[at].keys[threadIdx.x] >= key)/' 1 'FAILED' --small
broken btree 's/\*count = t + 1;/*count = t;/' 1 'FAILED' --small
broken dwt2d 's/v\[y\]\[x\] += share(/&1 + /' 1 'FAILED' --small
broken dwt2d 's/v\[y\]\[2 \* t + 2\] -= share(/&4 + /' 1 'FAILED' --small
broken gaussian 's/\*cell = reduced(/*cell = 0.0001f + reduced(/' 1 'FAILED' --small
broken gaussian 's/return fmaf(-factor/return fmaf(factor/' 1 'FAILED' --small
broken heartwall 's/best = min(best, \(.*\));/best = \1;/' 1 'FAILED' --small
broken heartwall 's/own\[i\] = blended(pattern\[i\], /own[i] = blended(0, /' 1 'FAILED' --small
broken hotspot 's/min(x + 1, across\.last)/min(x + 1, TILE - 1)/' 1 'FAILED' --small
broken kmeans 's/= by_point\[p \* features + f\];/= by_point[p];/' 1 'FAILED' --small
broken kmeans 's/nearest\[p\] = best;/nearest[p] = best \& ~1u;/' 1 'FAILED' --small
broken lud 's,value / corner\[j\]\[j\],value * (1 / corner[j][j]),' 1 'FAILED' --small
broken mergesort 's/low ^ (2 \* stride - 1)/low + stride/' 1 'FAILED' --small
broken nn 's/nearer(best\[t + half\], best\[t\])/t > 0 \&\& &/' 1 'FAILED, 3 wrong' --small
broken nn 's/candidates\[winner->index\].distance = INFINITY;/(void)candidates;/' 1 'FAILED, 2 wrong' --small
broken nn 's/fmaf(north, north, /fmaf(north, east, /' 1 'FAILED' --small
broken particlefilter 's/t >= distance ?/t > distance ?/' 1 'FAILED' --small
broken particlefilter 's/ sums\[i\] < sought/ sums[i] < 0.99f * sought/' 1 'FAILED' --small
broken particlefilter 's/1.0f \/ 24);/1.01f \/ 24);/' 1 'FAILED' --small
broken pathfinder 's/t + row + 1 < BLOCK/t + row + 2 < BLOCK/' 1 'FAILED' --small
broken srad 's/if (t < half)/if (t + 1 < half)/' 1 'FAILED' --small
broken srad 's/line\[min(column + 1, s\.columns - 1)\]/line[inside_x]/' 1 'FAILED' --small
finish
