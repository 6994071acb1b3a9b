# A program that finds its own result wrong must say so through lockstep run: each row breaks a program's kernel.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

broken hashtable 's/atomicExch(lock, 0);/if (i) &/' 1 'still locked' --insertions 1 --threads 1 --block 1

broken atm 's/atomicExch(second, 0);//' 1 'still locked' --transfers 1 --threads 1 --block 1
broken atm 's/atomicCAS(second, 0, 1)/atomicCAS(second, 0, 0)/' 1 'balance of account' --small
broken atm 's/balances\[to\] + amount/balances[to]/' 1 'money made or lost' --small

broken cloth 's/atomicCAS(&locks\[c.b\], 0, 1)/atomicCAS(\&locks[c.b], 0, 0)/' 1 'in no order' --small
broken cloth 's/to->y = p.y;//' 1 'other bits' --small
broken cloth 's/move_b = -way \* share_b/move_b = -way * share_a/' 1 'not kept by a pair' --small

broken tsp 's/atomicExch(&best->lock, 0);//' 1 'still locked' --small --climbers 1
broken tsp 's/length < known->length ||/false ||/' 1 'not the shortest' --small
broken tsp 's/climber < known->climber/true/' 1 'not the climber' --small
broken tsp 's/= tour\[k\];$/= tour[k \& ~1];/' 1 'visited twice' --small
broken tsp 's/best_way\[k\] =/best_way[k ^ 1] =/' 1 'not the one noted' --small

broken nw 's/while ((p.ready/while (false \&\& (p.ready/' 1 'first wrong' --size 256
broken nw 's/ - p.penalty);/);/' 1 'first wrong' --small
broken nw 's/row += LANES/row += 2 * LANES/' 1 'first wrong' --small --kernel 1


finish
