#!/bin/bash
# Every clang that is installed compiles the forms that nvcc takes; of several, the newest that works is the one that is used.
. "$(dirname "$0")/_common.sh"
need_clang
cd "$work" || exit 1
cp "$here"/programs/refused/* .
linked=
[ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] && linked=1

# tried "SOURCES" ARGUMENTS...: with $clang
tried()
{
    local goal=(-c) sources=() name
    for name in $1; do sources+=("$name.cu"); done
    shift
    [ -n "$linked" ] && goal=(-o tried)
    "$LOCKSTEP" cc --clang "$clang" -w --extended-lambda "${goal[@]}" "${sources[@]}" >log 2>&1 ||
        { fail "$clang: ${sources[*]}: $(grep -m3 error log)" && return; }
    [ -z "$linked" ] || "$LOCKSTEP" run --mode functional ./tried "$@" >log 2>&1 || fail "$clang: ${sources[*]}: $(head -5 log)"
}

# OpenMP, or the package that it is in.
cat >omp.cu <<'P'
#include <omp.h>
__global__ void k(int *p) { *p = 1; }
int main()
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 100; i++)
        sum += i * (omp_get_num_threads() > 1);
    return sum != 4950;
}
P
openmp()
{
    local way version
    version=$("$clang" -dumpversion)
    version=${version%%.*}
    [ -n "$linked" ] || return
    for way in -fopenmp "-Xcompiler -fopenmp -lgomp"; do
        # shellcheck disable=SC2086 # several words
        if "$LOCKSTEP" cc --clang "$clang" $way omp.cu -o omp >log 2>&1; then
            ./omp || fail "$clang: OpenMP"
        else
            grep -q 'hint: .*Debian package libomp-' log || fail "$clang: $way: no hint: $(cat log)"
            echo "OpenMP of clang $version: not installed"
            return
        fi
    done
    mkdir -p lonely
    ln -sf "$(command -v "$clang")" lonely/clang
    printf 'int main() {\n#pragma omp parallel\n;\n}\n' >plain.cpp
    # Away from its library, clang's is not found, and the package is named.
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(readlink -f "$(command -v "$clang")")" >lonely/alone
    chmod +x lonely/alone
    [ -e /usr/lib/x86_64-linux-gnu/libomp.so ] || {
        "$LOCKSTEP" cc --clang "$work/lonely/alone" -fopenmp plain.cpp -o plain >log 2>&1 && fail "OpenMP out of nothing"
        grep -q "hint: install the Debian package libomp-$version-dev" log || fail "no package is named: $(cat log)"
    }
}

for clang in clang clang-14 clang-16 clang-19; do
    command -v "$clang" >/dev/null || { echo "$clang: not installed"; continue; }
    real=$(readlink -f "$(command -v "$clang")")
    case " ${seen:-} " in *" $real "*) continue ;; esac
    seen="${seen:-} $real"
    tried main
    tried forms
    tried spaces
    tried redeclared
    tried "templates templates_more" 45
    openmp
done

# A newer one that does not work is passed over; one that does is taken, and --clang and LOCKSTEP_CLANG choose.
unset LOCKSTEP_CLANG
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/clang-22
printf '#!/bin/sh\nexit 0\n' >bin/opt-22
cp bin/opt-22 bin/llc-22
chmod +x bin/*
echo '__global__ void k(int *p) { *p = 1; }' >k.cu
PATH=$work/bin:$PATH "$LOCKSTEP" cc -v --ptx k.cu -o k.ptx >log 2>&1 || fail "with a broken clang-22: $(cat log)"
used=$(grep -m1 -o '^[^ ]* -x cuda .*-emit-llvm' log | cut -d' ' -f1)
[ -n "$used" ] && [ "$used" != "$work/bin/clang-22" ] || fail "the broken clang-22 is used"
if [ -n "$linked" ] && ls /usr/lib/llvm-*/lib/libomp.so >/dev/null 2>&1; then
    "$LOCKSTEP" cc -fopenmp omp.cu -o omp >log 2>&1 && ./omp || fail "no clang with OpenMP is found: $(cat log)"
fi
"$LOCKSTEP" cc -v --clang "$used" --ptx k.cu -o same.ptx >log 2>&1 && cmp -s k.ptx same.ptx || fail "--clang $used: $(cat log)"
LOCKSTEP_CLANG=$work/bin/clang-22 "$LOCKSTEP" cc --ptx k.cu >log 2>&1 && fail "LOCKSTEP_CLANG does not choose"
"$LOCKSTEP" cc --clang /nonexistent/clang --ptx k.cu >log 2>&1 && fail "--clang /nonexistent/clang"
grep -q -- '--clang is' log || fail "--clang /nonexistent/clang: $(cat log)"
finish
