# Sourced by the tests of a library of kernels: `library`, its test programs' `parts`, the `least` that it exports, and `version`, 12 unless set.
file=lib$library.so.${version:-12}
[ -e "$LOCKSTEP_BUILD/lib/lockstep/$file" ] || { echo "skipped: $library is not built"; exit 77; }
for part in $parts; do
    build "$work/$part" "$here/${library}_$part.cu" "-l$library"
    on_simulator "$work/$part" >"$work/out" 2>&1 || fail "$part, by $compiler: $(cat "$work/out")"
    [ "$(wc -l <"$work/out")" = 1 ] && grep -q "^$part: [0-9]\{2,\} tried, 0 wrong$" "$work/out" || fail "$part: $(cat "$work/out")"
done
nm -D --defined-only "$LOCKSTEP_BUILD/lib/lockstep/$file" | sed 's/.* [A-Za-z] //' >"$work/names"
[ "$(grep -c "^$library.*@@$file$" "$work/names")" -ge "$least" ] || fail "too few exports"
grep -v "^$library.*@@$file$" "$work/names" | grep -v "^$file" && fail "something else leaves the library"
:
