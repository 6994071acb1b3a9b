#!/usr/bin/env bash
# The studies that come with Lockstep are sound, in both versions: every program, machine, scheduler, parameter and question; and their
# READMEs say of how many runs the committed results are; `--list` has no doubts about them. (The quick version, which is a part of the other, is
# looked at of one of them; with LOCKSTEP_LONG of all.)
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
for file in "$LOCKSTEP_SRC"/studies/*/study.yaml; do
    name=$(basename "$(dirname "$file")")
    [ -z "${LOCKSTEP_LONG:-}" ] && [ "$name" != hlrc ] || expect 0 " runs" study "$name" --quick --list --out "$folder/none"
    "$LOCKSTEP" study "$name" --list --out "$folder/none" >list 2>doubts
    runs=$(tail -n 1 list | cut -d' ' -f1)
    ! grep warning doubts || wrong "$name: doubts"
    [ "${runs:-0}" -gt 100 ] && grep -q "$runs runs" "${file%/*}/README.md" || wrong "$name: ${runs:-no} runs, and the README says another number"
done

# The committed results are those of this simulator, to the digit, but where a README says that they are of a form of the study before it: a
# configuration of each; with LOCKSTEP_LONG some.
for file in "$LOCKSTEP_SRC"/studies/*/README.md; do
    name=$(basename "$(dirname "$file")") some=${LOCKSTEP_LONG:+3}
    grep -q "of the form before" "$file" ||
        expect 0 "${some:-1} of ${some:-1} configurations equal the committed results to the digit" study "$name" --verify "${some:-1}" --cheapest
done

# What the study of waiting says that a card did stands in hardware/.
rows=0
while IFS=, read -r _ _ card program what type parameter median _; do
    rows=$((rows + 1))
    grep -qF "$what,$type,$parameter,$median," "$LOCKSTEP_SRC/hardware/$card/$program.csv" || wrong "cards.csv: no $what, $type, $parameter of $median"
done < <(tail -n +2 "$LOCKSTEP_SRC/studies/waiting/cards.csv")
[ "$rows" -gt 10 ] || wrong "cards.csv has $rows rows"
finish
