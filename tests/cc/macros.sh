#!/bin/bash
# What is defined before the first line of a source is what nvcc defines there: programs, NVIDIA's samples among them, guard their
# code with it. Every macro listed is compared with nvcc's, where that is installed, in a CUDA source (LOCKSTEP_LONG: and in plain ones).
. "$(dirname "$0")/_common.sh"
need_clang
cd "$work" || exit 1

# In sources of every kind, and in CUDA sources alone; the first line's macros come from -include or the command line.
everywhere='__NVCC__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__ __CUDACC_VER_BUILD__ __CUDA_API_VER_MAJOR__ __CUDA_API_VER_MINOR__
__NVCC_DIAG_PRAGMA_SUPPORT__ __CUDA_ARCH_LIST__'
cuda='__CUDACC__ CUDART_VERSION CUDARTAPI CUDARTAPI_CDECL CUDART_CB
__CUDA_RUNTIME_H__ __CUDA_RUNTIME_API_H__ __DRIVER_TYPES_H__ __DRIVER_FUNCTIONS_H__ __VECTOR_TYPES_H__ __VECTOR_FUNCTIONS_H__
__HOST_DEFINES_H__ __HOST_CONFIG_H__ __DEVICE_TYPES_H__ __DEVICE_LAUNCH_PARAMETERS_H__ __CUDA_DEVICE_RUNTIME_API_H__
__COMMON_FUNCTIONS_H__ __DEVICE_FUNCTIONS_H__ __DEVICE_ATOMIC_FUNCTIONS_H__ __DEVICE_DOUBLE_FUNCTIONS_H__ __MATH_FUNCTIONS_H__
__SM_20_ATOMIC_FUNCTIONS_H__ __SM_20_INTRINSICS_H__ __SM_30_INTRINSICS_H__ __SM_32_ATOMIC_FUNCTIONS_H__ __SM_32_INTRINSICS_H__
__SM_35_ATOMIC_FUNCTIONS_H__ __SM_35_INTRINSICS_H__ __SM_60_ATOMIC_FUNCTIONS_H__ __SM_61_INTRINSICS_H__'

# ask NAMES: a program that prints each with its value, on the host; __CUDA_ARCH__ is nowhere there, and is the target on the device.
ask()
{
    echo '#define TEXT2(...) #__VA_ARGS__'
    echo '#define TEXT(...) TEXT2(__VA_ARGS__)'
    for name in "$@"; do
        printf '#ifndef %s\nstatic const char %s_[] = "undefined";\n#else\nstatic const char %s_[] = TEXT(%s);\n#endif\n' \
            "$name" "$name" "$name" "$name"
    done
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    for name in "$@"; do
        echo "printf(\"%s %s\\n\", \"$name\", ${name}_);"
    done
    echo 'return 0; }'
}
# shellcheck disable=SC2086
{ ask $everywhere $cuda __CUDA_ARCH__; echo '#ifdef __CUDA_ARCH__
static_assert(__CUDA_ARCH__ == 750, "");
#ifndef CUDA_DOUBLE_MATH_FUNCTIONS
#error
#endif
#elif defined(CUDA_DOUBLE_MATH_FUNCTIONS)
#error
#endif
__global__ void k() {}'; } >all.cu
# shellcheck disable=SC2086
ask $everywhere __CUDACC__ __CUDA_ARCH__ __CUDA_RUNTIME_H__ >plain.cpp
cp plain.cpp plain.c
for source in all.cu plain.cpp plain.c; do
    "$LOCKSTEP" cc -arch=sm_75 $source -o ours || { fail "$source does not compile"; continue; }
    ./ours >"$source.ours"
done
grep undefined all.cu.ours | grep -v __CUDA_ARCH__ && fail "not defined before the first line"
grep -q '^__CUDA_ARCH_LIST__ 750$' all.cu.ours || fail "the list of architectures"
for source in plain.cpp plain.c; do
    [ "$(grep -c undefined "$source.ours")" = 3 ] || fail "$source: $(cat "$source.ours")"
done
nvcc=$(nvidia_tool nvcc)
if [ -n "$nvcc" ] && "$nvcc" --version | grep -q 'release 13.0'; then
    # nvcc preprocesses a CUDA source for the device last; __CUDA_ARCH__ has been looked at above.
    for source in all.cu ${LOCKSTEP_LONG:+plain.cpp plain.c}; do
        "$nvcc" -E -w -std=c++17 -gencode arch=compute_75,code=compute_75 $source >theirs.i 2>log ||
            { fail "nvcc refuses $source" && cat log; continue; }
        sed -n 's/^static const char \(.*\)_\[\] = "\(.*\)";$/\1 \2/p' theirs.i | grep -v '^__CUDA_ARCH__ ' >theirs.txt
        grep -v '^__CUDA_ARCH__ ' "$source.ours" | diff theirs.txt - || fail "$source: other macros than nvcc's"
    done
else
    echo "the comparison with nvcc 13.0 is skipped: it is not installed"
fi

# Options that programs ask for.
cat >options.cu <<'X'
#if !defined(__CUDACC_RELAXED_CONSTEXPR__) || !defined(__CUDACC_EXTENDED_LAMBDA__) || !defined(__CUDACC_DEBUG__)
#error not announced
#endif
X
"$LOCKSTEP" cc -c options.cu -o options.o >log 2>&1 && fail "announced without the options"
grep -q 'not announced' log || fail "options.cu fails otherwise: $(cat log)"
# A program's own word comes last.
echo '#if defined(__NVCC__) || __CUDACC_VER_BUILD__ != 7
#error not as defined
#endif' >>options.cu
"$LOCKSTEP" cc -c -O0 -w --expt-relaxed-constexpr -extended-lambda -G -U__NVCC__ -U__CUDACC_VER_BUILD__ -D__CUDACC_VER_BUILD__=7 \
    options.cu -o options.o || fail "options, or -D and -U"
finish
