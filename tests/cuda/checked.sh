# --check race,init on programs by libcu++ and cooperative groups, which nvcc makes: barriers, pipelines, their copies, clusters. Right ones have no
# finding; with a wait or a fence left out there is one, of that kernel.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ -n "$nvcc" ] || { echo "skipped: nvcc is not installed"; exit 77; }
checked() { # ARCHITECTURE OPTIONS...: the exit code; what is said in said
    local architecture=$1
    shift
    "$nvcc" -std=c++17 -lineinfo -cudart shared -gencode "arch=compute_$architecture,code=compute_$architecture" "$@" "$here/checked.cu" -o "$work/checked" \
        >"$work/said" 2>&1 || fail "$(cat "$work/said")"
    "$LOCKSTEP" run --quiet --machine h100 --check race,init "$work/checked" >"$work/out" 2>"$work/said"
}
checked 80 || fail "sm_80: $(cat "$work/said")"
checked 90 -DCLUSTERS || fail "sm_90: $(cat "$work/said")"
grep -q '^no error$' "$work/out" || fail "sm_90: $(cat "$work/out")"
wrong() { # NUMBER KERNEL WORDS
    ! checked 90 -DCLUSTERS -DWRONG=$1 || fail "$2: nothing is found"
    grep -q "error: kernel $2: .*: a race" "$work/said" || fail "$2: $(cat "$work/said")"
    ! grep "error: kernel" "$work/said" | grep -qv "kernel $2:" || fail "$2: others have findings: $(cat "$work/said")"
    grep -q "hint: .*$3" "$work/said" || fail "$2: the hint is another than $3: $(cat "$work/said")"
}
wrong 1 bar 'wait for the phase of its mbarrier'
wrong 2 roles ''
wrong 3 priv 'cp.async.wait_group'
wrong 4 cgm 'may begin before'
wrong 5 dsm 'barrier.cluster'
wrong 6 tma 'fence.proxy.async'
