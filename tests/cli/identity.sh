#!/usr/bin/env bash
# The identity of the simulator: a copy of its sources elsewhere has the same, a change to any of them another; and what is no part
# of it cannot change a result: nothing that runs or builds a program calls it.
. "$(dirname "$0")/_lib.sh"
generated=$LOCKSTEP_BUILD/generated
here=$(sed -n 's/.*cli_identity.*"\(.*\)";/\1/p' "$generated/identity.c")
expect 0 "simulator $here" --version
(cd "$LOCKSTEP_SRC" && tar cf - -T "$generated/identity_files.txt") | tar xf - -C "$folder"
# identity: that of the sources in $folder.
identity() {
    cmake "-DSOURCE=$folder" "-DFILES=$generated/identity_files.txt" "-DFLAGS=$generated/identity_flags.txt" \
        "-DOUTPUT=$folder/identity.c" -P "$LOCKSTEP_SRC/cmake/identity.cmake" || wrong "cmake"
    sed -n 's/.*cli_identity.*"\(.*\)";/\1/p' "$folder/identity.c"
}
[ "${#here}" -eq 32 ] && [ "$(identity)" = "$here" ] || wrong "equal sources have the identities $here and $(identity)"
for file in src/core/issue.c src/core/sm_params.def src/cli/cc_options.c src/cuda/include/cuda_runtime.h machines/gtx480.yaml; do
    echo >>"$folder/$file"
    [ "$(identity)" != "$here" ] || wrong "$file is no part of the identity"
    cp "$LOCKSTEP_SRC/$file" "$folder/$file"
done
[ "$(identity)" = "$here" ] || wrong "the identity does not come back"
grep -E '^src/(report|cli/study)/|^src/cli/validate' "$generated/identity_files.txt" && wrong "a page is part of the identity"

# Objects of the command line by side: what the parts of the identity need from outside, what the others give.
objects=$LOCKSTEP_BUILD/CMakeFiles/ls_cli_objects.dir
(cd "$objects" && find src/cli -name '*.o' | sort) >"$folder/all"
sed 's/$/.o/' "$generated/identity_files.txt" | grep -Fxf - "$folder/all" >"$folder/parts"
grep -vFxf "$folder/parts" "$folder/all" >"$folder/others"
[ "$(wc -l <"$folder/parts")" -gt 10 ] && [ "$(wc -l <"$folder/others")" -gt 10 ] || wrong "there are too few objects"
(cd "$objects" && xargs nm -u <"$folder/parts" | awk '$1 == "U" { print $2 }' | sort -u) >"$folder/needed"
(cd "$objects" && xargs nm -g --defined-only <"$folder/others" | awk 'NF == 3 { print $3 }' | sort -u) >"$folder/given"
# cli_study and the like are called by main.c alone.
both=$(comm -12 "$folder/needed" "$folder/given")
[ -z "$both" ] || wrong "what decides results calls what is no part of the identity: $both"
finish
