# Programs without synchronization but barriers: as in run.sh.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

check_table <<'END'
END
finish
