#!/bin/bash
# The release of a lock stays inside its retry loop in the PTX of `lockstep cc`, for seven common shapes. The same
# check finds plain -O2 code at fault, which shows that it can fail.
. "$(dirname "$0")/_common.sh"
need_clang
"$LOCKSTEP" cc --ptx "$here/lock_shapes.cu" -o "$work/safe.ptx" || exit 1
"$LOCKSTEP" cc --fast --ptx "$here/lock_shapes.cu" -o "$work/fast.ptx" || exit 1
awk -f "$here/lock_shapes.awk" "$work/safe.ptx" >"$work/safe"
awk -f "$here/lock_shapes.awk" "$work/fast.ptx" >"$work/fast"
[ "$(wc -l <"$work/safe")" -eq 7 ] || fail "expected 7 kernels: $(cat "$work/safe")"
grep -v ' IN$' "$work/safe" && fail "a release left its loop"
grep -q ' OUT$' "$work/fast" || fail "the check finds nothing wrong with -O2 code: $(cat "$work/fast")"
finish
