# Programs without synchronization but barriers: as in run.sh.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

check_table <<'END'
backprop        every
btree           every
dwt2d           every
gaussian        every
heartwall       every
hotspot         every
kmeans          every
lud             every
mergesort       every
nn              every
particlefilter  every
pathfinder      every
srad            every
END
finish
