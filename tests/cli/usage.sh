#!/usr/bin/env bash
# What the command line answers to what users type, right and wrong: every error before anything is simulated, exit code 2, and the
# nearest name that exists.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
expect 2 "usage: lockstep COMMAND"
expect 0 "compare" --help
expect 0 "lockstep 0." --version
expect 2 "did you mean 'lockstep run'?" rnu
expect 2 "lockstep --help lists the commands" frobnicate
expect 0 "--max-cycles N" run --help
expect 2 "needs a program or a launch file" run
expect 2 "did you mean --sched?" run --schedd lrr x
expect 2 "--sched needs a value" run --sched
expect 2 "--quiet takes no value" run --quiet=1 x
expect 2 "has no option -q" run -q x
expect 2 "expected timing or functional" run --mode fast x
expect 2 "expected a number of cycles" run --max-cycles many x
expect 0 "--max-seconds S" run --help
expect 2 "there is no machine named gtx481" run --machine gtx481 x
expect 2 "known schedulers: lrr gto" run --sched lru x
expect 2 "known fetch policies: lrr" run --fetch cfe x
expect 2 "known models: stack, its" run --divergence it x
expect 2 "there is no divergence model named it" compare --divergence stack,it x
expect 2 "there is no fetch policy named crr" compare --fetch lrr,crr x
expect 2 "did you mean 'sm.warps'?" run --set sm.wraps=3 x
expect 2 "sm.warps = 99 is out of range (1 to 64 warps)" run --set sm.warps=99 x
expect 2 "group.parameter=value" run --set sm.warps x
expect 2 "did you mean 'on_miss'?" run --set l1d.allocate=on_mis x
expect 2 "l1d.sets = 3: sets must be a power of two" run --set l1d.sets=3 x
# All errors at once, not only the first.
expect 2 "out of range" run --set sm.wraps=3 --set sm.warps=99 x
expect 2 "sm.wraps" run --set sm.wraps=3 --set sm.warps=99 x
expect 2 "cannot run $folder/none" run "$folder/none"
expect 2 "cannot read" run "$folder/none.yaml"
expect 2 "did you mean 'l1d'?" params l1dd
expect 0 "l1d.sets" params l1d
expect 0 "gtx480-sm2" machines
expect 2 "there is no machine" machines gtx48O
expect 0 "stalls.issued" stats stalls
expect 2 "group of statistics" stats nothing
expect 0 "an instruction was issued" explain stalls.issued
expect 0 "thread_instructions / cycles" explain ipc
expect 2 "did you mean 'sm.warp_instructions'?" explain sm.warp_instruction
expect 0 ".entry vecadd" disasm "$LOCKSTEP_SRC/tests/reference/vecadd.ptx"
expect 0 "kernel vecadd:" disasm --kernel vecadd "$LOCKSTEP_SRC/tests/reference/vecadd.ptx"
expect 2 "there are: vecadd" disasm --kernel other_name "$LOCKSTEP_SRC/tests/reference/vecadd.ptx"
expect 2 "--sched ,: a name in the list is empty" compare --sched , x
expect 2 "--sched lrr,,gto: a name in the list is empty" compare --sched lrr,,gto x
expect 2 "--machine gtx480,: a name in the list is empty" compare --machine gtx480, x
expect 2 "--seed ,1: a name in the list is empty" compare --seed ,1 x
expect 2 "there is no warp scheduler named nope" compare --sched lrr,nope x

# -h is --help everywhere (by turns without LOCKSTEP_LONG), wherever it stands among the options.
for command in run compare validate study cc machines params stats explain disasm docs; do
    in_turn -h --help
    for help in "${chosen[@]}"; do
        expect 0 "usage: lockstep $command" "$command" $help
    done
done
expect 0 "usage: lockstep run" run --sched lrr -h
expect 0 "usage: lockstep COMMAND" -h

# help COMMAND is COMMAND --help, also where that is made; the overview is help's own.
for command in run compare validate study litmus check cc machines params protocols stats explain disasm docs; do
    diff <("$LOCKSTEP" help $command 2>&1) <("$LOCKSTEP" $command --help 2>&1) >/dev/null || wrong "help $command is not $command --help"
done
expect 0 "usage: lockstep run" help run
for words in help --help "help help" "help --help"; do
    # shellcheck disable=SC2086
    diff <("$LOCKSTEP" $words 2>&1) <("$LOCKSTEP" -h 2>&1) >/dev/null || wrong "$words is not the overview"
    # shellcheck disable=SC2086
    expect 0 "lockstep help COMMAND" $words
done
expect 2 "did you mean 'lockstep help run'?" help rnu
expect 2 "lockstep has no command 'frobnicate'" help frobnicate
expect 2 "did you mean 'lockstep help'?" hlep

# Arguments that nobody would look at are refused, and options may follow what is no program.
for command in "machines gtx480 gtx1080ti" "params l1d l2" "stats stalls sm" "explain ipc cycles" "disasm a.ptx b.ptx" "docs a b" "validate vecadd" \
    "study a b"; do
    # shellcheck disable=SC2086
    expect 2 "" $command
done
expect 0 "warps: 7 " machines gtx480 --set sm.warps=7
expect 0 "warps: 7 " machines --set sm.warps=7 --machine gtx480-sm2
expect 2 "has no option --sched" machines gtx480 --sched lrr
cases=$LOCKSTEP_SRC/tests/reference
expect 0 "PASS" run "$cases/vecadd.yaml" --sched lrr --machine gtx480-sm2
expect 4 "" run "$cases/vecadd.yaml" --max-cycles 100
expect 2 "there is no warp scheduler named nope" run "$cases/vecadd.yaml" --sched nope
expect 2 "has no option --schedd" run "$cases/vecadd.yaml" --schedd
expect 2 "takes no arguments" run -- "$cases/vecadd.yaml" --sched lrr
expect 0 "lrr" compare "$cases/vecadd.yaml" --sched lrr
expect 2 "does not know what to do with more" compare "$cases/vecadd.yaml" more

# A program's arguments are its own; one that is an option of ours gets a note, unless -- says that it is meant.
note() {
    local text=$1 output
    shift
    output=$("$LOCKSTEP" "$@" 2>&1 >/dev/null)
    grep -qF -- "$text" <<<"$output" || wrong "lockstep $* does not note: $text ($output)"
}
silent() {
    local output
    output=$("$LOCKSTEP" "$@" 2>&1 >/dev/null)
    grep -q "note:" <<<"$output" && wrong "lockstep $* notes: $output"
}
note "note: --sched after the program's name is the program's, not an option of lockstep run" run --quiet echo 1 --sched lrr
note "note: --sched, --stats after the program's name are the program's" run --quiet echo --sched=lrr x --stats y
note "not an option of lockstep compare" compare --sched lrr echo --kernels
note "-- before echo says that the rest is its own" run --quiet echo --no-skip
[ "$("$LOCKSTEP" run --quiet echo 1 --sched lrr 2>/dev/null)" = "1 --sched lrr" ] || wrong "the program does not get its arguments"
[ "$("$LOCKSTEP" run --quiet -- echo -- --sched lrr 2>/dev/null)" = "-- --sched lrr" ] || wrong "the program does not get its own --"
silent run --quiet -- echo --sched lrr
silent run --quiet echo -- --sched lrr
silent run --quiet echo --help -h --schedule --sch -sched sched --kernels --jobs
silent run "$cases/vecadd.yaml" --sched lrr
finish
