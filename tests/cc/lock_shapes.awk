# For every kernel of a PTX file: from each fence, which stands before the release of a lock, control must be able to
# come back to the acquire (a compare-and-swap, an exchange, or where there is none a volatile load). Then the release
# lies inside the retry loop. Prints "NAME IN" or "NAME OUT".
function flush(    i, j, n, top, stack, seen, ok, fences, x) {
    if (name == "") return
    ok = 1; fences = 0
    for (i = 1; i <= count; i++) {
        if (line[i] !~ /membar|fence\./) continue
        fences++
        # depth-first search from the fence
        split("", seen); top = 1; stack[1] = i; found = 0
        while (top > 0) {
            x = stack[top--]
            n = 0
            if (line[x] ~ /bra/) {
                target = line[x]; sub(/.*bra(\.uni)?[ \t]+/, "", target); sub(/;.*/, "", target)
                next_of[++n] = label[target]
                if (line[x] ~ /^@/) next_of[++n] = x + 1
            } else if (line[x] !~ /^(ret|exit)/) next_of[++n] = x + 1
            for (j = 1; j <= n; j++)
                if (next_of[j] <= count && !(next_of[j] in seen)) {
                    seen[next_of[j]] = 1; stack[++top] = next_of[j]
                    if (line[next_of[j]] ~ acquire) found = 1
                }
        }
        if (!found) ok = 0
    }
    print name, (ok && fences ? "IN" : "OUT")
}
/\.entry/ {
    flush(); name = $0; sub(/.*\.entry[ \t]+/, "", name); sub(/\(.*/, "", name)
    match(name, /shape_[a-z]+[a-z]/); count = 0; split("", label); split("", line)
    acquire = name ~ /shape_ticket/ ? "ld.volatile" : name ~ /shape_exchange/ ? "atom.*exch.* 1;" : "atom.*cas"
    next
}
name != "" {
    sub(/\/\/.*/, ""); gsub(/^[ \t]+|[ \t]+$/, "")
    if ($0 == "" || $0 ~ /^[.(){}]/) next
    if ($0 ~ /^\$?[A-Za-z_$0-9]+:$/) { sub(/:$/, ""); label[$0] = count + 1; next }
    line[++count] = $0
}
END { flush() }
