#!/usr/bin/env bash
# The pages of docs/ that come from tables are what the tables give now.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$LOCKSTEP" docs "$folder"
for page in opcodes parameters statistics events; do
    diff -u "$LOCKSTEP_SRC/docs/$page.md" "$folder/$page.md" || {
        echo "docs/$page.md is out of date: run lockstep docs docs"
        exit 1
    }
done
