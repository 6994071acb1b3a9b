# Sourced by tests of programs that nvcc built against NVIDIA's library and that run on ours: `library` and its `version`, the `header` with its
# functions, our `rows` of them and the `macro` that a row begins with.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
theirs=$(dirname "$(dirname "$(realpath "$nvcc")")")
[ -e "$theirs/lib64/lib$library.so.$version" ] && [ -e "$theirs/include/$header" ] || { echo "skipped: no lib$library.so.$version of NVIDIA's"; exit 77; }
nm -D --defined-only "$LOCKSTEP_BUILD/lib/lockstep/lib$library.so.$version" | sed 's/.* [A-Za-z] //' | sort >"$work/ours"
nm -D --defined-only "$theirs/lib64/lib$library.so.$version" | sed 's/.* [A-Za-z] //' | sort >"$work/theirs"
comm -23 "$work/ours" "$work/theirs" | grep . && fail "names that NVIDIA's library has not"

# Our declarations beside NVIDIA's: a compiler says where they differ.
{
    printf '#include <%s>\n' $header
    printf '#define %s(result, name, ...) result name(__VA_ARGS__);\nextern "C" {\n' "$macro"
    for row in $rows; do printf '#include "lockstep/%s"\n' "$row"; done
    echo '}'
} >"$work/both.cpp"
cp -r "$LOCKSTEP_SRC/src/cuda/include/lockstep" "$work/"
g++ -w -fsyntax-only -I "$theirs/include" -I "$work" "$work/both.cpp" || fail "functions are declared otherwise"
LOCKSTEP_LONG=1
. "$LOCKSTEP_SRC/tests/cuda/$library.sh"
