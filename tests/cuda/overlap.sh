# Kernels of several streams at one time: as many as the machine says, in the order that streams, events and copies leave them, and the same however it
# is simulated.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
build "$work/overlap" "${headers[@]}" "$here/overlap.cu"

# times OPTIONS...: of each part, in tenths of one kernel, to the array t.
times() {
    "$LOCKSTEP" run --quiet "$@" "$work/overlap" >"$work/out" 2>"$work/err" || fail "$*: status $?: $(cat "$work/out" "$work/err")"
    grep -qx right "$work/out" || fail "$*: $(cat "$work/out")"
    mapfile -t t < <(sed -n 's/.* //; /^[0-9]*$/p' "$work/out")
}
# alone, beside, one stream, behind an event, across the legacy stream, around copies, an event of one stream, a graph twice
expect() {
    local expected=$1
    shift
    times "$@"
    [ "${t[*]}" = "$expected" ] || fail "$*: ${t[*]}, not $expected"
}
expect "10 39 39 39 39 30 30 89"
for same in "" "--threads 2" --no-skip; do
    # shellcheck disable=SC2086 # several words
    expect "10 10 39 30 30 20 10 69" --set gpu.kernels=16 $same
done
expect "10 20 39 30 30 20 10 69" --set gpu.kernels=2
"$LOCKSTEP" run --quiet --mode functional --set gpu.kernels=16 "$work/overlap" >"$work/out" 2>&1 || fail "functional: $(cat "$work/out")"

# Results: kernels that ran together have their own SMs' figures; what they share stands in one place, and instructions add up.
"$LOCKSTEP" run --quiet --set gpu.kernels=16 --stats "$work/s.json" "$work/overlap" >/dev/null || fail "--stats: status $?"
python3 - "$work/s.json" <<'END' || fail "results"
import json, sys
d = json.load(open(sys.argv[1]))
beside = d["together"][0]
kernels = d["kernels"][beside["first"]:beside["first"] + beside["kernels"]]
assert len(kernels) == 4, len(kernels)
assert all(k["beside_others"] and "l2" not in k and "energy" not in k for k in kernels)
assert not d["kernels"][0].get("beside_others")
assert "l2" in beside and "energy" in beside
for name in ("warp_instructions", "thread_instructions"):
    assert beside[name] == sum(k[name] for k in kernels)
for name, value in beside["stalls"].items():
    assert value == sum(k["stalls"][name] for k in kernels), name
assert len({k["start_cycle"] for k in kernels}) == 1
END
# Profiles and time-lines are of one kernel each.
"$LOCKSTEP" run --quiet --set gpu.kernels=16 --profile --timeline "$work/t.json" --phases "$work/p.csv" "$work/overlap" >/dev/null 2>"$work/err" ||
    fail "--profile: status $?: $(cat "$work/err")"
# As many rows as without: each kernel's warps have theirs once.
"$LOCKSTEP" run --quiet --phases "$work/q.csv" "$work/overlap" >/dev/null || fail "--phases: status $?"
[ "$(cut -d, -f1,2,4-8 "$work/p.csv" | sort)" = "$(cut -d, -f1,2,4-8 "$work/q.csv" | sort)" ] || fail "rows of phases"
