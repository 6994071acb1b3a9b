# Random programs (generate.c) under random configurations: each leaves in memory what it leaves on the host, or is refused for a
# reason that is true of it. By hand, or for longer than in `make test`:
#
#   tests/generator/generate.sh --programs N [--seed S] [--runs R] [--jobs J] [--keep FOLDER] [--skip REGEX]
#       the programs S .. S + N - 1, each in R configurations, but those whose options match; what fails is kept, with its
#       command lines
#   tests/generator/generate.sh --reduce NUMBER --run R
#       makes program NUMBER as short as it can be while it fails in its configuration R
#
# The programs of this commit and seed are always the same ones.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LOCKSTEP_BUILD=${LOCKSTEP_BUILD:-$here/../../build/release}
LOCKSTEP=${LOCKSTEP:-$LOCKSTEP_BUILD/bin/lockstep}
generate=$LOCKSTEP_BUILD/tests/generate
known=$(<"$here/known.txt")
together=8 # programs that share functions: GROUP in generate.h

programs=64 seed=1 runs=1 jobs=2 keep= reduce= only= skip=^$
if [ -n "${LOCKSTEP_PRELOAD:-}" ] || [[ $LOCKSTEP_BUILD = *san ]]; then
    programs=16 # sanitizers are slow; what is wrong in the results alone is found without
fi
while [ $# -gt 1 ]; do
    case $1 in
    --programs | --seed | --runs | --jobs | --keep | --reduce | --skip) declare "${1#--}=$2" ;;
    --run) only=$2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -eq 0 ] || { sed -n '4,9s/^# *//p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
keep=${keep:-${TMPDIR:-/tmp}/lockstep-generator.$$}

# build FOLDER FIRST COUNT [OPTIONS...]: the programs as FOLDER/x.cu and FOLDER/x.
build() {
    local folder=$1 first=$2 count=$3
    shift 3
    ln -sf "$here"/*.h "$folder"
    "$generate" --first "$first" --count "$count" "$@" >"$folder/x.cu" && "$LOCKSTEP" cc -O1 "$folder/x.cu" -o "$folder/x" >"$folder/cc.out" 2>&1
}

# once FOLDER STATS OPTIONS... : one run of the program in FOLDER, whose number is `number`; its output is FOLDER/out
once() {
    local folder=$1 stats=$2
    shift 2
    (ulimit -t 200 && timeout 1000 "$LOCKSTEP" run --quiet --max-cycles 50000000 --stats "$stats" "$@" "$folder/x" "$number" >"$folder/out" 2>&1)
}

# right FOLDER: the run that was just made ended with $1 and said that memory is the host's, and nothing else.
right() {
    [ "$2" -eq 0 ] && [ "$(<"$1/out")" = "program $number: as on the host" ]
}

# stripped FILE: statistics without what is the host's, and which checks were made.
stripped() {
    awk '/"host": \{/ { inside = 1 } !inside && !/"check"/ { print } inside && /\}/ { inside = 0 }' "$1"
}

# again FOLDER OPTIONS...: a second way to come to the same result; its statistics are compared too.
again() {
    local folder=$1 code
    shift
    once "$folder" "$folder/again.json" "$@"
    code=$?
    right "$folder" $code || { echo "the second run ended with $code: $*" >>"$folder/out"; return 1; }
    cmp -s <(stripped "$folder/first.json") <(stripped "$folder/again.json") || { echo "other statistics with $*" >"$folder/out"; return 1; }
}

# outcome FOLDER NUMBER KIND ALLOWED OPTIONS...: prints passed, refused or FAILED
outcome() {
    local folder=$1 number=$2 kind=$3 allowed=$4 code more=()
    shift 4
    rm -f "$folder/"*.json "$folder/c"
    [ "$kind" != checkpoint ] || more=(--checkpoint-every 3000 --checkpoint "$folder/c")
    once "$folder" "$folder/first.json" "$@" "${more[@]}"
    code=$?
    if ! right "$folder" $code; then
        if [ "$allowed" != - ] && [ $code -ne 0 ] && [ $code -lt 128 ] && grep -qE "$allowed" "$folder/out"; then
            echo refused
        else
            echo "ended with $code" >>"$folder/out"
            echo FAILED
        fi
        return
    fi
    case $kind in
    checkpoint) [ ! -e "$folder/c" ] || again "$folder" "$@" --resume "$folder/c" ;;
    stepped) again "$folder" "$@" --no-skip ;;
    threaded) again "$folder" "$@" --threads 3 ;;
    checked)
        [[ "$* " = *"--check sync "* ]] || set -- "$@" --check sync
        again "$folder" "${@/#sync/sync,mem,race,init}"
        ;;
    esac && echo passed || echo FAILED
}

# failed FOLDER NUMBER RUN KIND OPTIONS...: keeps what is needed to see it again.
failed() {
    local folder=$1 number=$2 run=$3 kind=$4 to=$keep/$2.$3
    shift 4
    mkdir -p "$to"
    cp "$here"/*.h "$to"
    "$generate" --first "$number" >"$to/x.cu"
    cp "$folder/out" "$to/out"
    {
        echo "lockstep cc x.cu -o x && lockstep run $* ./x $number    # $kind"
        echo "$0 --reduce $number --run $run"
    } >"$to/command"
    echo "FAILED: program $number, run $run ($kind): kept in $to"
    sed 's/^/    /' "$to/command" | head -n 1
    head -n 12 "$to/out" | sed 's/^/    /'
}

# batch FOLDER FIRST COUNT: builds and runs them.
batch() {
    local folder=$1 first=$2 count=$3 number kind allowed options run=0 before='' this
    if ! build "$folder" "$first" "$count"; then
        echo "FAILED: programs $first to $((first + count - 1)) do not compile"
        head -n 20 "$folder/cc.out"
        echo FAILED >>"$folder/outcomes"
        return
    fi
    while IFS=$'\t' read -r number kind allowed options; do
        [ "$number" = "$before" ] && run=$((run + 1)) || run=0
        before=$number
        [[ ! $options =~ $skip ]] || continue
        [ "$run" -ne 0 ] || [[ ! $known =~ (^|$'\n')$number\  ]] || { echo known >>"$folder/outcomes"; continue; }
        # shellcheck disable=SC2086
        outcome "$folder" "$number" "$kind" "$allowed" $options >"$folder/this"
        read -r this <"$folder/this"
        echo "$this" >>"$folder/outcomes"
        [ "$this" != FAILED ] || failed "$folder" "$number" "$run" "$kind" $options
    done < <("$generate" --first "$first" --count "$count" --runs "$runs")
}

# worker NUMBER: every so manieth batch; batches begin where the programs of a group do.
worker() {
    local folder=$work/$1 turn=0 first=$seed next end=$((seed + programs))
    mkdir -p "$folder"
    while [ "$first" -lt "$end" ]; do
        next=$(((first / together + 1) * together))
        [ "$next" -le "$end" ] || next=$end
        [ $((turn++ % jobs)) -ne "$1" ] || batch "$folder" "$first" $((next - first))
        first=$next
    done
}

# fails_without LIST: the program that is reduced still fails without these statements.
fails_without() {
    build "$work" "$reduce" 1 --omit "$1" || return 1
    # shellcheck disable=SC2086
    [ "$(outcome "$work" "$reduce" "$kind" "$allowed" $options)" = FAILED ]
}

# Leaves out as many statements as it can: halves, quarters, ..., single ones.
reduce() {
    local all size at omitted=-1 try
    IFS=$'\t' read -r _ kind allowed options < <("$generate" --first "$reduce" --runs $((${only:-0} + 1)) | tail -n 1)
    fails_without -1 || { echo "program $reduce does not fail in run ${only:-0}"; exit 1; }
    all=$("$generate" --first "$reduce" --statements)
    for ((size = (all + 1) / 2; size > 0; size /= 2)); do
        for ((at = 0; at < all; at += size)); do
            try=$omitted,$(seq -s, "$at" $((at + size - 1)))
            ! fails_without "$try" || omitted=$try
        done
        [ -z "$LONGER" ] || echo "without $size at a time: $(grep -c . "$work/x.cu") lines"
    done
    fails_without "$omitted"
    mkdir -p "$keep"
    cp "$here"/*.h "$work/x.cu" "$work/out" "$keep"
    echo "lockstep run $options ./x $reduce    # $kind" >"$keep/command"
    echo "program $reduce, run ${only:-0}: $(wc -l <"$keep/x.cu") lines in $keep"
    cat "$keep/command" "$keep/out"
    exit 0
}

LONGER=
[ -z "$reduce" ] || reduce
begun=$(date +%s)
for ((i = 0; i < jobs; i++)); do
    worker "$i" &
done
wait
cat "$work"/*/outcomes 2>/dev/null | sort | uniq -c | awk -v programs="$programs" -v seed="$seed" -v seconds=$(($(date +%s) - begun)) '
    { of[$2] = $1 }
    END { printf "programs %d to %d: %d runs as on the host, %d refused as they must, %d failed, %d with a known fault left out, in %d s\n",
              seed, seed + programs - 1, of["passed"], of["refused"], of["FAILED"], of["known"], seconds
          exit of["FAILED"] > 0 || of["passed"] == 0 }'
