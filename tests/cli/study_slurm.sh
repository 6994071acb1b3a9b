#!/usr/bin/env bash
# `lockstep study --slurm` against a real Slurm of two nodes on this machine: an array runs a study, a task of it is killed, the same
# line submits that one again, and the merged results are those of one process. Everything lies in a temporary folder and listens on
# 127.0.0.1; where the daemons cannot start the test is skipped.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_shards.sh"
skip() {
    echo "skipped: $*"
    exit 77
}
export PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" -eq 0 ] || skip "Slurm's daemons are started as root"
for tool in slurmctld slurmd munged mungekey sbatch; do
    command -v $tool >/dev/null || skip "$tool is not installed (slurm-wlm, munge)"
done
cd "$folder" || exit 1
chmod 755 "$folder"
daemons=()
stop_daemons() {
    timeout 5 scancel --user="$(id -un)" 2>/dev/null && sleep 1 # tasks that a failure left
    [ ${#daemons[@]} -eq 0 ] || { kill "${daemons[@]}"; sleep 0.5; kill -KILL "${daemons[@]}"; } 2>/dev/null
    rm -rf "$folder"
}
trap stop_daemons EXIT
host=$(hostname -s)
mkdir spool munge state local
port=$((17000 + $$ % 400 * 4))
cat >slurm.conf <<C
ClusterName=lockstep-test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES State=UP
C
export SLURM_CONF=$folder/slurm.conf TMPDIR=$folder/local
mkdir spool/n1 spool/n2
mungekey --create --keyfile="$folder/munge/key" >/dev/null 2>&1 || skip "no key for munge"
chmod 700 munge
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2 >munged.out 2>&1 &
daemons+=($!)
slurmctld -D -i >slurmctld.out 2>&1 &
daemons+=($!)
for node in n1 n2; do
    slurmd -D -N $node >slurmd-$node.out 2>&1 &
    daemons+=($!)
done
# soon COMMAND...: waits until it is true; false after about two minutes of waiting, or when a daemon has ended.
soon() {
    local i
    for i in $(seq 600); do
        "$@" >/dev/null 2>&1 && return 0
        for daemon in "${daemons[@]}"; do
            kill -0 "$daemon" 2>/dev/null || return 1
        done
        sleep 0.2
    done
    return 1
}
ready() { [ "$(sinfo -h -N -o '%T' 2>/dev/null | grep -c idle)" -eq 2 ]; }
soon ready || { tail -n 3 ./*.out ./*.log munge/log 2>/dev/null; skip "Slurm did not start here"; }

mini_study
without_program
"$LOCKSTEP" study ./mini --out one >/dev/null 2>&1 || wrong "one process ended with $?"
submit() { "$LOCKSTEP" study ./mini --out many --slurm --per-task 3 -- --cpus-per-task=1 >submit.out 2>&1; }
all_ended() { [ -z "$(squeue -h)" ]; }
# The third task waits for the lock of its folder, so that it is surely killed before its end.
name() {
    local hash=$((0xcbf29ce484222325)) i
    for ((i = 0; i < ${#1}; i++)); do
        hash=$(((hash ^ $(printf %d "'${1:i:1}")) * 0x100000001b3))
    done
    printf 'lockstep-mini-%016x-3-of-4' $hash
}
work=local/$(name "$folder/many")
mkdir -p "$work/cache"
exec 9>"$work/cache/lock"
flock 9
submit 9>&- || { wrong "submitting"; cat submit.out; }
grep -q '^job [0-9]*: shards 1,2,3,4 of 4; job [0-9]* joins them$' submit.out || { wrong "what was submitted"; cat submit.out; }
job=$(sed -n 's/^job \([0-9]*\):.*/\1/p' submit.out)
held() { cat many/shards/slurm-*_3.log | grep -q "waiting for it"; }
soon held || wrong "the third task does not wait"
scancel "${job}_3" || wrong "scancel"
exec 9>&-
soon all_ended || { wrong "the array does not end"; squeue; tail -n 5 many/shards/*.log; }
[ ! -e many/shards/3-of-4.sqlite ] && [ -e many/shards/4-of-4.sqlite ] || { wrong "the shards after a kill"; ls many/shards; }
cmp -s one/results.csv many/results.csv && wrong "a lost task was not missed"
expect 1 "shards: 3 of 4 whole; not yet: 3/4" study ./mini --out many --status

submit || { wrong "submitting again"; cat submit.out; }
grep -q '^job [0-9]*: shards 3 of 4; job' submit.out || { wrong "what was submitted again"; cat submit.out; }
soon all_ended || { wrong "the task does not end"; squeue; }
cmp one/results.csv many/results.csv || { wrong "Slurm gives other results"; tail -n 5 many/shards/*.log; }
expect 0 "runs: 12 of 12 done" study ./mini --out many --status
submit && grep -q "page: many/index.html" submit.out || { wrong "nothing is missing"; cat submit.out; }
finish
