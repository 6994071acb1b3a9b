# Helpers of the scripts that look at what a terminal gets, behind _lib.sh.
command -v script >/dev/null || { echo "skipped: script is not installed"; exit 77; }
escape=$(printf '\033')
unset NO_COLOR COLUMNS
export TERM=xterm

# on_terminal COLUMNS WORDS...: what `lockstep WORDS` writes to a terminal of that width (0: that does not say), colours and all, without
# carriage returns at the ends of lines.
on_terminal() {
    local columns=$1
    shift
    script -qec "stty cols $columns; $LOCKSTEP $*" /dev/null </dev/null | sed 's/\r$//'
}
# plain: without colours, and of each line what is left of it when it was overwritten.
plain() {
    sed "s/.*\r$escape\[K//; s/$escape\[[0-9;]*m//g"
}
widest() {
    awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }'
}
# sees NAME TEXT: TEXT (a pattern) is in the file NAME; not: it is not.
sees() {
    grep -q -- "$2" "$1" || { wrong "$1 lacks $2"; cat -v "$1"; }
}
sees_no() {
    grep -q -- "$2" "$1" && { wrong "$1 has $2"; cat -v "$1"; }
}
