#!/usr/bin/env bash
# tools/census over a folder of small programs, one for each thing that may become of a program: its table, its causes, its CSV files.
. "$(dirname "$0")/_lib.sh"
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs need the sanitizer's library beforehand"; exit 77; }
export LOCKSTEP
suite=$folder/suite
mkdir -p "$suite"/{right,slow/data,wrong,single}

# program NAME TEXT: a folder with a Makefile as suites have them.
program() {
    printf '#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <string>\n%s\n' "$2" >"$suite/$1/main.cu"
    printf 'CC = /usr/local/cuda/bin/nvcc\nARCH = sm_10\nmain: main.cu\n\t$(CC) -arch=$(ARCH) -std=c++17 main.cu -o main\nrun: main\n\t$(LAUNCHER) ./main 1\n' >"$suite/$1/Makefile"
}
kernel='__global__ void add(int *x, int n) { atomicAdd(x, n); }'
call='int *x, y = -1; cudaMalloc(&x, 4); cudaMemset(x, 0, 4); add<<<2, 32>>>(x, 2); cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);'
program right "$kernel int main(int argc, char **) { $call puts(y == 128 && argc == 2 && getenv(\"REACHED\") && !strcmp(getenv(\"LOCKSTEP_MACHINE\"), \"thesis\") &&
    fopen((std::string(getenv(\"LD_LIBRARY_PATH\")) + \"/libcudart.so.13\").c_str(), \"r\") ? \"Relative error: 1.7e-03\\nTest passed, 0 errors\" : \"FAIL\"); }"
program wrong "$kernel int main() { $call puts(y == 127 ? \"PASS\" : \"errors: 3\"); }"
program slow 'int main() { puts("PASS"); fflush(stdout); for (volatile int i = 0; i < 2; i = i * 0) {} }'
echo 'int main() { return unknown_thing; }' >"$suite/single/broken.cu"
echo "#include <cstdio>
$kernel int main() { $call printf(\"%d\n\", y); }" >"$suite/single/told.cu"
echo 128 >"$suite/single/told.expected"
echo 'int main() { return 3; }' >"$suite/single/failing.cu"
printf '#include <cstdio>\n#include <told.h>\nint main() { puts("Error: cannot open input.txt"); return FAILS; }\n' >"$suite/single/no_input.cu"
mkdir "$suite/include"
echo '#define FAILS 1' >"$suite/include/told.h"
echo '// nvcc builds this: all' >"$suite/Makefile"
before=$(cd "$suite" && find . -type f -exec sha256sum {} + | sort)

output=$("$LOCKSTEP_SRC/tools/census" --compiler clang --timeout 2 --jobs 2 --machine thesis --launcher 'env REACHED=1' --flags '-I FOLDER/include' --keep "$folder/kept" --csv "$folder/csv" "$suite" 2>&1) || wrong "census ended badly"
has() { grep -qE "$1" <<<"$output" || wrong "no $1 in: $output"; }
has '^7 of 7 programs'
has '^lockstep cc +7 +6 +3 +2 +0 +1 +1 +1 +0 +1$'
has "^ +1 +lockstep cc +not-built +use of undeclared identifier 'unknown_thing'$"
has '^ +1 +lockstep cc +slow +longer than 2 s$'
[ "$before" = "$(cd "$suite" && find . -type f -exec sha256sum {} + | sort)" ] || wrong "the suite has changed"
for row in right,make,clang,right wrong,make,clang,wrong slow,make,clang,slow single/told.cu,file,clang,right single/broken.cu,file,clang,not-built \
    single/failing.cu,file,clang,failed single/no_input.cu,file,clang,no-data; do
    grep -q "^suite/$row," "$folder/csv/programs.csv" || wrong "no $row in: $(cat "$folder/csv/programs.csv")"
done
grep -q "^1,clang,not-built,use of undeclared identifier 'unknown_thing',suite/single/broken.cu$" "$folder/csv/causes.csv" || wrong "$(cat "$folder/csv/causes.csv")"

# What is kept is not done again; with another compiler as the base, what that one does not build does not count. It is none of NVIDIA's.
mkdir "$folder/bin"
cat >"$folder/bin/nvcc" <<'END'
#!/usr/bin/env bash
[[ $* != *told.cu* ]] || { echo "told.cu(1): error: identifier \"told\" is undefined" >&2; exit 1; }
exec "$LOCKSTEP" cc -O2 "${@: -3:1}" -o "${@: -1}"
END
chmod +x "$folder/bin/nvcc"
printf 'single/told.cu\nsingle/failing.cu\n' >"$folder/list"
output=$(PATH=$folder/bin:$PATH "$LOCKSTEP_SRC/tools/census" --list "$folder/list" --keep "$folder/kept" --run none "$suite" 2>&1)
has '^nvcc +2 +1 +0'
has '^ +1 +nvcc +not-built +identifier "told" is undefined$'

# A sample is the same each time, and another seed draws another one.
drawn() { "$LOCKSTEP_SRC/tools/census" --compiler clang --run none --sample 3 --seed "$1" --keep "$folder/kept" "$suite" >/dev/null 2>&1; cat "$folder/kept/programs"; }
first=$(drawn 1)
[ "$(wc -l <<<"$first")" = 3 ] && [ "$first" = "$(drawn 1)" ] || wrong "a sample is not drawn again: $first"
for seed in 2 3 4 5; do [ "$first" = "$(drawn "$seed")" ] || break; done
[ "$first" != "$(drawn "$seed")" ] || wrong "every seed draws the same"

refused() { "$LOCKSTEP_SRC/tools/census" "${@:2}" >"$folder/said" 2>&1 && wrong "census ${*:2} went on"; grep -q "$1" "$folder/said" || wrong "$(cat "$folder/said")"; }

# --small: numbers are halved until below 512 or odd, and the last one that belongs to no option becomes 1.
small=$folder/small
mkdir -p "$small/one"
cat >"$small/one/main.cu" <<'END'
#include <cstdio>
#include <cstring>
int main(int count, char **words) {
    const char *wanted[] = {"-n", "256", "-m=375", "500", "x", "1", "07"};
    bool same = count == 8;
    for (int i = 1; same && i < count; i++) same = !strcmp(words[i], wanted[i - 1]);
    puts(same ? "PASS" : "FAIL");
}
END
printf 'main: main.cu\n\tnvcc main.cu -o main\nrun: main\n\t$(LAUNCHER) ./main -n 8192 -m=3000 1000 x 1000 07\n' >"$small/one/Makefile"
output=$("$LOCKSTEP_SRC/tools/census" --compiler clang --small "$small" 2>&1)
has '^lockstep cc +1 +1 +1 +1 '

# A main() may come from a header where a list names the file.
mkdir "$folder/headed"
printf '#include <cstdio>\nint main() { puts("PASS"); }\n' >"$folder/headed/main.h"
echo '#include "main.h"' >"$folder/headed/own.cu"
echo own.cu >"$folder/list"
refused "no program to try" --compiler clang "$folder/headed"
output=$("$LOCKSTEP_SRC/tools/census" --compiler clang --list "$folder/list" "$folder/headed" 2>&1)
has '^lockstep cc +1 +1 +1 +1 '

# --arguments are those of single programs, which find what lies in their folder.
mkdir "$folder/told"
printf '#include <cstdio>\nint main(int count, char **words) { puts(count == 3 && fopen(words[1], "r") ? "PASS" : "FAIL"); }\n' >"$folder/told/reads.cu"
output=$("$LOCKSTEP_SRC/tools/census" --compiler clang --arguments 'FOLDER/reads.cu 7' "$folder/told" 2>&1)
has '^lockstep cc +1 +1 +1 +1 '

refused "no folder" --compiler clang
refused "is a launcher" --compiler clang --small --launcher env "$suite"
refused "takes a number" --sample few "$suite"
refused "clang, nvcc, both or asked" --compiler gcc "$suite"
refused "no program to try" --compiler clang --match 'none*' "$suite"
finish
