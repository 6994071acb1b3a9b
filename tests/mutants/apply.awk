# apply.awk: puts the mutants of a list into sources. awk -v root=DIR -f apply.awk list.txt: reads DIR/FILE for every FILE that the
# list names, and writes it back where every text that is to be replaced stands exactly once; else says which does not.
# The form of the list is stated at its head. Lines are compared without the blanks at their ends.
function trim(line) {
    sub(/^[ \t]+/, "", line)
    sub(/[ \t]+$/, "", line)
    return line
}

function wrong(what) {
    print list ":" from ": " what
    bad = 1
}

# Reads the file's lines into text[1..lines].
function load(    line, status) {
    lines = 0
    while ((status = (getline line < (root "/" file))) > 0) text[++lines] = line
    close(root "/" file)
    if (status < 0) wrong("there is no " file)
}

function store(    i) {
    if (file == "" || bad) return
    printf "" > (root "/" file)
    for (i = 1; i <= lines; i++) print text[i] > (root "/" file)
    close(root "/" file)
}

# The lines at which old[1..olds] stands, as a number of places and the last one.
function places(    i, j, found) {
    found = 0
    for (i = 1; i + olds - 1 <= lines; i++) {
        for (j = 1; j <= olds && trim(text[i + j - 1]) == old[j]; j++) ;
        if (j > olds) { found++; at = i }
    }
    return found
}

function replace(    i, joined) {
    if (!olds) return
    found = places()
    if (found != 1) {
        wrong(file " has this text " found " times: " old[1])
    } else {
        joined = ""
        for (i = 1; i <= news; i++) joined = joined (i > 1 ? "\n" : "") new[i]
        for (i = 1; i < olds; i++) text[at + i] = ""
        text[at] = joined
    }
    olds = news = 0
}

{ list = FILENAME }
/^#/ || /^$/ { next }
/^- / { if (news) replace(); if (!olds) from = FNR; old[++olds] = trim(substr($0, 3)); next }
/^\+ / { new[++news] = substr($0, 3); next }
{ replace() }
/^src\// { if ($1 != file) { store(); file = $1; from = FNR; load() } next }
/^[0-9]+ / {
    from = FNR
    if ($1 in seen) wrong("mutant " $1 " is there twice")
    seen[$1] = 1
    if (NF < 2) wrong("mutant " $1 " has neither a test nor a reason")
    next
}
{ from = FNR; wrong("not understood: " $0) }
END { replace(); store(); exit bad }
