#!/usr/bin/env bash
# docs/lives.md names functions that there are, and rows that `lockstep protocols` prints just so; every step of a drawing has its line in
# the table below it.
set -uo pipefail
cd "$LOCKSTEP_SRC" || exit 1
page=docs/lives.md
failed=0
wrong() { echo "FAILED: $*"; failed=1; }
# rows PROTOCOL: its tables' rows as the page writes them: "SIDE: event, state -> next: actions".
rows() {
    "$LOCKSTEP" protocols "$1" | awk -F '  +' '
        /^$/ { side = "" }
        side != "" { print side ": " $1 ", " $2 " -> " $3 ":" ($4 == "" ? "" : " " $4) }
        $2 == "state" { side = $1 }'
}
# part NUMBER: the page's NUMBERth life.
part() { awk -v n="$1" '/^## / { at++ } at == n' "$page"; }
defined=$(grep -rhoE '^[A-Za-z_][A-Za-z0-9_ *]*[ *][a-z_0-9]+\(' src --include='*.c' --include='*.h' | sed -E 's/.*[ *]([a-z_0-9]+)\($/\1/' | sort -u)
number=0
for protocol in hlrc gpu; do
    number=$((number + 1))
    printed=$(rows "$protocol")
    [ "$(wc -l <<<"$printed")" -ge 20 ] || wrong "$protocol: no rows"
    steps=$(part "$number" | grep -E '^\| [0-9]+ \|')
    [ "$(wc -l <<<"$steps")" -ge 9 ] || wrong "$protocol: no table of steps"
    # Rows of tables, in the table and (with their side left out) in the text.
    while IFS= read -r row; do
        grep -qFx -- "$row" <<<"$printed" || wrong "$protocol has no row: $row"
    done < <(grep -oE '(L1|L2|directory): `[^`]*`' <<<"$steps" | tr -d '`')
    while IFS= read -r row; do
        grep -qF -- ": $row" <<<"$printed" || wrong "$protocol has no row: $row"
    done < <(part "$number" | grep -oE '`[a-z, ]+, [A-Za-z]+ -> [^`]*`' | tr -d '`')
    # Functions: the last column but one.
    while IFS= read -r name; do
        grep -qFx -- "$name" <<<"$defined" || wrong "there is no function $name"
    done < <(awk -F ' *[|] *' '{ print $5 }' <<<"$steps" | grep -oE '`[a-z_0-9]+`' | tr -d '`')
    # The drawing's numbers.
    drawn=$(part "$number" | awk '/^```/ { inside = !inside } inside' | grep -oE '(^|[ |>])[0-9]+( |$)' | grep -oE '[0-9]+' | sort -un | tr '\n' ' ')
    tabled=$(awk -F ' *[|] *' '{ print $2 }' <<<"$steps" | sort -un | tr '\n' ' ')
    for step in $tabled; do
        [[ " $drawn" == *" $step "* ]] || wrong "$protocol: step $step is not drawn"
    done
done
exit "$failed"
