# Helpers of the scripts that plant mistakes for --check in kernels of a program, $program.cu. Its lines end in a comment with the kernel's
# name and what they do there. Its argument is the name of a kernel; or, for the kernel's mended form, $mends and the name. Set too: `machine`,
# options of lockstep run, as an array; and `unwritten`, a pattern for the bytes of a read of what nobody has written.

# line TEXT: the number of the line of the program that ends so.
line() {
    awk -v text="// $1" 'index($0, text) && substr($0, length($0) - length(text) + 1) == text { print NR }' "$program.cu"
}
# names KERNEL LINE...: `err` names each of these lines of it.
names() {
    local kernel=$1 text at
    shift
    for text in "$@"; do
        at=$(line "$kernel $text")
        [ -n "$at" ] && grep -q "$program.cu:$at\b" err || { cat err; wrong "$kernel: does not name the line that $text"; }
    done
}
# mended CHECKS KERNEL: these checks find nothing in its mended form.
mended() {
    "$LOCKSTEP" run --quiet "${machine[@]}" --check "$1" "./$program" "$mends$2" >out 2>err || { cat err; wrong "$2, mended: an error"; }
    grep -q "error" err && { cat err; wrong "$2, mended: it tells of an error"; }
}
# has_error KERNEL HINT LINE...: it has an error whose hint matches, and each line is named.
has_error() {
    local kernel=$1 hint=$2 status
    shift 2
    "$LOCKSTEP" run --quiet "${machine[@]}" --check race,init "./$program" "$kernel" >out 2>err
    status=$?
    [ "$status" = 1 ] || { cat err; wrong "$kernel: exit code $status, expected 1"; }
    grep -q "error: kernel $kernel: .*: \(a race\|$unwritten bytes that nobody has written\)$" err || { cat err; wrong "$kernel: nothing found"; }
    grep -q "hint: .*$hint" err || { cat err; wrong "$kernel: the hint is another than: $hint"; }
    names "$kernel" "$@"
}
