# As broken.sh: the octree's host check, or the machine, must notice what each row breaks in one of its kernels.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

broken barneshut 's/return atomicCAS((int \*)slot, seen, LOCKED) == seen/return *slot == seen/' 2 'nothing was allocated' --small
broken barneshut 's/^    \*slot = cell;/    if (!cell) &/' 1 'still locked' --bodies 3 --seed 1 --last 2
broken barneshut 's/atomicCAS((int \*)here->slot, EMPTY, i) == EMPTY/(*here->slot = i) == i/' 1 'bodies missing' --small --last 2
broken barneshut 's/++next == 8/++next == 7/' 1 'centre of node' --small --last 3
broken barneshut 's/start += counts\[/start -= 1 - counts[/' 1 'start of node' --small --first 4
broken barneshut 's/t.sorted\[start++\] = child/t.sorted[start] = child/' 1 'wrong body at place' --small --first 4

finish
