#!/usr/bin/env bash
# liblockstep: the examples build by pkg-config against an installation and say what `lockstep run` says of the same launch, to the
# bit; a launch in steps, beside another device or under a scheduler that is given has the cycles of one that is not; nothing is
# exported but the functions of the header, which is C and C++.
. "$(dirname "$0")/_lib.sh"
command -v cc >/dev/null && command -v pkg-config >/dev/null || { echo "skipped: no C compiler or no pkg-config"; exit 77; }
cd "$folder" || exit 1
DESTDIR=$folder/staged cmake --install "$LOCKSTEP_BUILD" --prefix /usr >install.log 2>&1 || { cat install.log; exit 1; }
mv staged/usr installed
cp "$LOCKSTEP_SRC/examples/library/"* .
export PKG_CONFIG_PATH=$folder/installed/lib/pkgconfig LD_LIBRARY_PATH=$folder/installed/lib

# program NAME FLAGS...: builds NAME from NAME.c.
program() {
    local name=$1
    shift
    # shellcheck disable=SC2046
    cc -O1 -Wall -Wextra -Werror "$@" -o "$name" "$name.c" $(pkg-config --cflags --libs liblockstep) || exit 1
}

# with COMMAND...: runs a program that has no sanitizer of its own.
with() {
    LD_PRELOAD=$LOCKSTEP_PRELOAD "$@"
}

# flat FILE: the statistics of a result, "group.name value", without those that were not measured.
flat() {
    awk '/^ "kernels": / { inside = 1 } !inside { next }
         /^ *"[a-z0-9_]*": \{$/ { gsub(/[ ":{]/, ""); group = $0; next }
         /\}/ { group = "" }
         group && group != "host" && /": [0-9]+,?$/ { gsub(/[ ",]/, ""); split($0, part, ":"); print group "." part[1] " " part[2] }' "$1"
}

# The page's commands, word for word, in a copy of the folders that it names.
mkdir -p tree/examples tree/build/release && cp -r "$LOCKSTEP_SRC/examples/library" tree/examples/
ln -s "$LOCKSTEP_SRC/include" tree/include
for part in bin lib include; do ln -s "$LOCKSTEP_BUILD/$part" "tree/build/release/$part"; done
python=
for command in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$command" -c 'import numpy' 2>/dev/null || python=$command
done
grep -E '^    (export|cc|\./|python3|\.\./)' tree/examples/library/README.md >commands
[ "$(wc -l <commands)" -eq 9 ] || wrong "the page of the examples has other commands"
[ -n "$python" ] || echo "not tried: Python, since there is no numpy"
sed -i "s|python3|${python:-:}|" commands
sed -i "/export/!{/^ *cc/!s|^ *|LD_PRELOAD=$LOCKSTEP_PRELOAD |}; s/$/ || exit 1/" commands
(cd tree/examples/library && bash ../../../commands) >commands.out 2>&1 || { wrong "the page of the examples"; cat commands.out; }
count=4
[ -z "$python" ] || count=5
[ "$(grep -cE 'cycles 62588$|^add_under_locks .* 62588 ' commands.out)" -eq $count ] || { wrong "other cycles"; cat commands.out; }

# Statistics, to the bit: whole, in steps, by another machine.
program run
for machine in gtx480 gtx1080ti; do
    "$LOCKSTEP" run --quiet --machine $machine --stats run.json locks.yaml || wrong "lockstep run on $machine"
    flat run.json >expected
    [ "$(wc -l <expected)" -gt 100 ] || wrong "no statistics"
    for cycles in "" 1009 37; do
        with ./run $machine $cycles >out || wrong "run $machine $cycles"
        sed 1,2d out | cmp - expected || wrong "run $machine $cycles has other statistics than lockstep run"
        grep -qx "cycles $(sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' run.json | head -1)" out || wrong "other cycles on $machine"
    done
done
with ./run no-such-machine >out 2>&1 && wrong "a machine that there is not"
grep -q "there is no machine named no-such-machine" out || { wrong "what is wrong is not said"; cat out; }

# A scheduler that is given does as the same one of the list; the observer's count is the one of the statistics.
program scheduler
program observer
for machine in gtx480 gtx1080ti; do
    "$LOCKSTEP" run --quiet --machine $machine --sched lrr --stats run.json locks.yaml || wrong "lockstep run --sched lrr"
    with ./scheduler $machine >out || wrong "scheduler $machine"
    grep -qx "cycles $(sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' run.json | head -1)" out || wrong "$machine: other cycles than lrr"
    grep -q "issued $(sed -n 's/^ *"warp_instructions": \([0-9]*\),*$/\1/p' run.json | head -1) " out || wrong "$machine: other issues"
    with ./observer $machine >out || wrong "observer $machine"
    grep -q "^1024 locks taken, " out || { wrong "$machine: another number of locks"; cat out; }
    grep -q "^block [0-7] warp [01]: lane [0-9]* has [12] rounds left" out || wrong "$machine: no warps were shown"
done
if [ -n "$python" ]; then
    "$LOCKSTEP" run --quiet --stats run.json locks.yaml
    flat run.json | sort >expected
    with "$python" locks.py | sed -n 's/^\([a-z0-9_]*\.[a-z0-9_]*\)  *\([0-9]*\)\(\.0\)*$/\1 \2/p' | sort >out
    cmp out expected || wrong "Python has other statistics"
fi

# What is exported.
header=installed/include/lockstep/device.h
sed -n 's/^LOCKSTEP_API .*[ *]\(lockstep_[a-z_]*\)(.*/\1/p' $header | sort >functions
[ "$(wc -l <functions)" -gt 30 ] || wrong "the header has no functions"
nm -D --defined-only installed/lib/liblockstep.so | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
[ -n "$LOCKSTEP_PRELOAD" ] || cmp functions exported || { wrong "other symbols than those of the header"; diff functions exported; }
nm -D --defined-only installed/lib/liblockstep.so | grep ' T ' | grep -v '@@LOCKSTEP_1' && wrong "a function without a version"
interface=$(sed -n 's/^#define LOCKSTEP_DEVICE_VERSION //p' $header)
readelf -d installed/lib/liblockstep.so | grep -q "SONAME.*\[liblockstep.so.$interface\]" || wrong "the library's number is not the interface's"

# The header alone, as strict C and as C++.
printf '#include <lockstep/device.h>\nint main(void) { return lockstep_version() != LOCKSTEP_DEVICE_VERSION; }\n' >alone.c
program alone -std=c11 -Wpedantic
with ./alone || wrong "another version"
if command -v c++ >/dev/null; then
    cp alone.c alone.cpp
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -Werror -o alone_cpp alone.cpp $(pkg-config --cflags --libs liblockstep) || wrong "the header is no C++"
fi
finish
