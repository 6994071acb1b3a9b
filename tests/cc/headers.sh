#!/bin/bash
# Headers that `lockstep cc --prepare-headers` compiled beforehand: taken by a compilation without further options, whose PTX, warnings
# and errors are the same as without; never taken when they are of other headers, of another compiler or broken.
. "$(dirname "$0")/_common.sh"
need_clang
root=$(cd "$(dirname "$LOCKSTEP")/.." && pwd)
cd "$work" || exit 1
# An installation of its own, with nothing prepared.
mkdir -p tree/bin tree/share/lockstep/headers
cp "$LOCKSTEP" tree/bin/
cp -rL "$root/share/lockstep/include" tree/share/lockstep/
ln -s "$root/lib" tree/lib
cat >program.cu <<'P'
#include <cmath>
#include <cstdio>
__global__ void k(float *p) { p[threadIdx.x] = sinf(p[threadIdx.x]) + __ldg(p); }
int main()
{
    int a = 1;
    if (a = 2)
        printf("%g\n", std::cyl_bessel_i(0.0, 1.0));
    k<<<1, 1>>>(nullptr);
}
P
sed 's/sinf/sinnf/' program.cu >broken.cu

# compiles NAME PREPARED OPTIONS...: to NAME.ptx, words to NAME.log; so many compilations take prepared headers.
compiles()
{
    local name=$1 prepared=$2
    shift 2
    tree/bin/lockstep cc -v -c --keep-ptx "$name.ptx" program.cu -o "$name.o" "$@" >"$name.log" 2>&1 || fail "$name: $(cat "$name.log")"
    [ "$(grep -c -- '-include-pch' "$name.log")" -eq "$prepared" ] || fail "$name: prepared headers are taken $(grep -c -- '-include-pch' "$name.log") times"
    [ "$(grep -c 'using the result of an assignment' "$name.log")" -eq 1 ] || fail "$name: not one warning: $(cat "$name.log")"
}
compiles text 0
tree/bin/lockstep cc --prepare-headers || fail "nothing is prepared"
compiles prepared 2 -Wall -Wextra -Wno-unused
cmp text.ptx prepared.ptx || fail "other PTX"
cmp text.o prepared.o || fail "another object"
printf '#ifdef OTHER\n#error read\n#endif\n' >stop.cu # the command is all that is looked at
tree/bin/lockstep cc -v -DOTHER=1 --ptx stop.cu -o options.ptx >log 2>&1
grep -q 'error: read' log || fail "-D is not taken: $(cat log)"
grep -q -- '-include-pch' log && fail "headers are taken though they may depend on options"

tree/bin/lockstep cc -c broken.cu >log 2>&1 && fail "a broken program is compiled"
[ "$(grep -c 'error: .*sinnf' log)" -eq 1 ] || fail "not one error: $(cat log)"

# Headers are read anew when one has changed since they were prepared, as for the device here, and when the prepared file is nonsense, as
# for the host.
sleep 1
echo '#define HAS_CHANGED 1' >>tree/share/lockstep/include/cuda_runtime.h
printf '#ifndef HAS_CHANGED\n#error an old header\n#endif\n' | cat - program.cu >changed.cu
mv changed.cu program.cu
echo nonsense >tree/share/lockstep/headers/host.pch
compiles changed 2
if [ -n "${LOCKSTEP_LONG:-}" ]; then
    rm -r tree/share/lockstep/headers
    tree/bin/lockstep cc --prepare-headers 2>log && fail "headers without a folder"
    grep -q 'cannot write' log || fail "no word of a folder that is missing: $(cat log)"
fi
finish
