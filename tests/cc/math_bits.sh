#!/bin/bash
# Every mathematical function gives the same bits on the simulated device and, compiled as plain C++, on the host.
. "$(dirname "$0")/_common.sh"
need_clang
[ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] || { echo "skipped: libcudart is not built"; exit 77; }
"$LOCKSTEP" cc -ffp-contract=off "$here/programs/bits/main.cu" "$here/programs/bits/host.cpp" -o "$work/bits" || exit 1
"$LOCKSTEP" run --mode functional "$work/bits" || fail "device and host differ"
finish
