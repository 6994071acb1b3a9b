# A program that finds its own result wrong must say so through lockstep run: each row breaks a program's kernel.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

broken hashtable 's/atomicExch(&locks\[b\], 0);/if (i) &/' 1 'still locked' --insertions 1 --threads 1 --block 1

finish
