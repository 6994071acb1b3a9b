# Programs whose threads wait for each other, by locks or for data: as in run.sh.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

check_table <<'END'
atm    brief
cloth  brief
tsp    brief
nw     brief
barneshut  every
END
finish
