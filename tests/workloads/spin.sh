# Programs whose threads wait for each other, by locks or for data: as in run.sh.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

check_table <<'END'
barneshut  every
END
finish
