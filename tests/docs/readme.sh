#!/usr/bin/env bash
# The pages that a newcomer reads: links lead somewhere, every workload has its line, every page can be reached, the version is one.
set -uo pipefail
cd "$LOCKSTEP_SRC" || exit 1
failed=0
wrong() {
    echo "FAILED: $*"
    failed=1
}

# links FILE: where its relative links lead, from the root.
links() {
    grep -oE '\]\([^)#: ]+[^):]*\)' "$1" | sed 's/^](//; s/)$//; s/#.*//' | sort -u | while IFS= read -r link; do
        realpath -ms --relative-to=. "$(dirname "$1")/$link"
    done
}
pages=$(find . -maxdepth 1 -name '*.md'; find docs examples workloads studies -name '*.md')
count=0
for page in $pages; do
    for target in $(links "$page"); do
        count=$((count + 1))
        [ -e "$target" ] || wrong "$page: there is no $target"
    done
done
[ "$count" -gt 100 ] || wrong "only $count links"

# From README.md over links to every page.
reached=README.md
next=README.md
while [ -n "$next" ]; do
    next=$(for page in $next; do links "$page"; done | grep '\.md$' | sort -u | grep -vxF "$reached")
    reached=$(printf '%s\n%s' "$reached" "$next" | grep .)
done
for page in docs/*.md CONTRIBUTING.md CHANGELOG.md; do
    grep -qxF "$page" <<<"$reached" || wrong "no link leads to $page"
done

# The gallery: a line for each program, and none for others.
for folder in workloads/*/; do
    name=$(basename "$folder")
    rows=$(grep -c "^| \[$name\](workloads/$name) | [^|]\{10,\} |\$" README.md)
    [ "$rows" = 1 ] || wrong "README.md has $rows lines for workloads/$name"
done
[ "$(grep -c '^| \[[a-z0-9]*\](workloads/' README.md)" = "$(find workloads -mindepth 1 -maxdepth 1 -type d | wc -l)" ] ||
    wrong "README.md has lines for other programs"

# What README.md tells to type is there.
for target in $(grep -oE '^    make [a-z-]+' README.md CONTRIBUTING.md | awk '{ print $3 }'); do
    grep -q "^$target:" Makefile || wrong "there is no make $target"
done

# Exit codes: the page has those of the help.
codes() { grep -oE '^(\| |  )(128 \+ n|[0-9]+) ' | tr -d '| '; }
help=$("$LOCKSTEP" help run | sed -n '/^Exit codes/,$p' | codes)
[ "$(codes <docs/running.md)" = "$help" ] && [ "$(wc -w <<<"$help")" -ge 7 ] || wrong "docs/running.md has other exit codes than run --help"

# CMakeLists.txt declares the version.
version=$(sed -n 's/^project(lockstep VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[[ $("$LOCKSTEP" --version) = "lockstep $version, simulator "* ]] || wrong "lockstep --version is not that of CMakeLists.txt, $version"
grep -qx "version: $version" CITATION.cff || wrong "CITATION.cff has another version than $version"
[[ $(grep -m 1 '^## ' CHANGELOG.md) = "## $version"* ]] || wrong "CHANGELOG.md begins with another version than $version"
grep -qx "Version: $version" "$LOCKSTEP_BUILD/generated/lockstep.pc" || wrong "lockstep.pc has another version than $version"
grep -rnE 'define LOCKSTEP_VERSION' src include && wrong "the version is declared again"
[ "$failed" = 0 ] && echo ok
exit "$failed"
