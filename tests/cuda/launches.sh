# Launches one behind the other, as nodes of a graph, and early: as far apart as the machine says, and the same however it is simulated.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
build "$work/launches" "${headers[@]}" "$here/launches.cu"

# times OPTIONS...: nanoseconds a launch, in the order of the program, to the array t. The core clock is 1 GHz: cycles too.
times() {
    "$LOCKSTEP" run --quiet --set gpu.core_mhz=1000 --set gpu.network_mhz=1000 "$@" "$work/launches" >"$work/out" 2>"$work/err" ||
        fail "$*: status $?: $(cat "$work/out" "$work/err")"
    grep -qx right "$work/out" || fail "$*: $(cat "$work/out")"
    mapfile -t t < <(sed -n 's/.* //; /^[0-9]*$/p' "$work/out")
}
distances="--set gpu.launch_gap_cycles=4000 --set gpu.graph_gap_cycles=1000 --set gpu.early_gap_cycles=300"
times
own=${t[0]}
[ "${t[*]}" = "$own $own $own $own" ] || fail "without distances: ${t[*]}"
# The first node of a graph is the host's, and has no leave of a node; 7 of 8 follow one.
# shellcheck disable=SC2086 # several words
for same in "" "--threads 2" --no-skip; do
    times $distances $same
    expected="$((own + 4000)) $((own + 300)) $((own + 1375)) $((own + 762))"
    [ "${t[*]}" = "$expected" ] || fail "$same: ${t[*]}, not $expected"
done
# shellcheck disable=SC2086
times $distances --set gpu.launch_host_cycles=20000
for i in 0 1; do # the first one follows a launch that ended before the event
    [ "${t[i]}" -gt 19500 ] && [ "${t[i]}" -le 20000 ] || fail "of the host: ${t[*]}"
done
times --mode functional
