#!/usr/bin/env bash
# The pages that a newcomer reads: links lead somewhere, every workload has its line, every page can be reached, the version is one.
set -uo pipefail
cd "$LOCKSTEP_SRC" || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
wrong() {
    echo "FAILED: $*"
    failed=1
}

# A line for each link to a file: the page, and where it leads, from the root.
pages=$(find . -maxdepth 1 -name '*.md' -printf '%P\n'; find docs examples workloads studies -name '*.md')
# shellcheck disable=SC2086
grep -oE '\]\([^)#: ]+[^):]*\)' $pages | sed 's/:\](/ /; s/)$//; s/#.*//' | sort -u >"$folder/links"
awk '{ folder = $1; if (!sub(/\/[^\/]*$/, "", folder)) folder = "."; print folder "/" $2 }' "$folder/links" | xargs -d '\n' realpath -ms --relative-to=. |
    paste -d ' ' <(cut -d' ' -f1 "$folder/links") - >"$folder/targets"
[ "$(wc -l <"$folder/targets")" -gt 100 ] || wrong "only $(wc -l <"$folder/targets") links"
while read -r page target; do
    [ -e "$target" ] || wrong "$page: there is no $target"
done <"$folder/targets"

# From README.md over links to every page.
awk '{ to[$1] = to[$1] " " $2 }
    END {
        list[count = 1] = "README.md"
        seen["README.md"]
        for (i = 1; i <= count; i++) {
            print list[i]
            n = split(to[list[i]], next_pages, " ")
            for (k = 1; k <= n; k++) if (!(next_pages[k] in seen)) { seen[next_pages[k]]; list[++count] = next_pages[k] }
        }
    }' "$folder/targets" >"$folder/reached"
for page in docs/*.md CONTRIBUTING.md CHANGELOG.md; do
    grep -qxF "$page" "$folder/reached" || wrong "no link leads to $page"
done

# The gallery: a line for each program, and none for others.
for program in workloads/*/; do
    name=$(basename "$program")
    rows=$(grep -cE "^\\| \\[$name\\]\\(workloads/$name\\) \\| [^|]{10,} \\|$" README.md)
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
