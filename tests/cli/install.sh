#!/usr/bin/env bash
# An installation is whole: moved from where it was made, and with the sources out of sight where the system lets a test hide them, it builds a program
# and runs it, and finds its cases and studies. Manual pages and completions have every option, and no other program meets the CUDA
# runtime library. With LOCKSTEP_LONG the Debian package too.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
# DESTDIR stands before the prefix, and nothing is made of headers for a place where they do not lie yet.
DESTDIR=$folder/staged cmake --install "$LOCKSTEP_BUILD" --prefix /usr >install.log 2>&1 || { tail -5 install.log; exit 1; }
[ -z "$(ls staged/usr/share/lockstep/headers)" ] || wrong "headers were prepared below DESTDIR"
mv staged/usr moved
moved=$folder/moved
installed=$moved/bin/lockstep
[ -e "$moved/share/man/man1/lockstep.1" ] || { echo "skipped: manual pages are not built"; exit 77; }

# The library of programs is where nobody else looks, and CUDA's headers are no headers of the system.
diff <(ls "$LOCKSTEP_BUILD/lib/lockstep") <(ls "$moved/lib/lockstep") || wrong "lib/lockstep"
[ "$(find "$moved" -name 'libcud*' ! -path "$moved/lib/lockstep/*" ! -path "$moved/share/lockstep/cuda/lib64/*")" = "" ] || wrong "libraries: $(find "$moved" -name 'libcud*')"
[ -e "$moved/lib/lockstep/libcudart.so.13" ] || wrong "there is no libcudart.so.13"
[ "$(ls "$moved/include")" = lockstep ] || wrong "include has $(ls "$moved/include")"
[ -z "$(find "$moved" -name '*.sh')" ] || wrong "tests are installed"

# What works without the sources; `check TEXT ARGUMENTS...`: lockstep ARGUMENTS ends well, and says TEXT.
cat >away.sh <<'END'
failed=0
check() {
    local text=$1 output
    shift
    output=$("$installed" "$@" 2>&1) && grep -qF -- "$text" <<<"$output" && return
    echo "FAILED: installed lockstep $*: $output"
    failed=1
}
share=$moved/share/lockstep
check "usage: lockstep run" help run
check "PASS" run "$share/reference/vecadd.yaml"
check "1 of 1 within 25%" validate --case vecadd --machine gtx480 --sched lrr
check "were not run there before" study hlrc --quick --list
check "gtx480" machines
check "" litmus --model --quiet "$share/examples/litmus/mp.litmus"
if [ -z "$LOCKSTEP_PRELOAD" ] && command -v clang >/dev/null; then
    check "" cc "$share/examples/tally/one.cu" -o one
    check "1024 of 1024 counted" run ./one
    check "" cc --prepare-headers
    check "" cc "$share/workloads/vecadd/vecadd.cu" -o vecadd
    check "" run --mode functional ./vecadd --small
    check "quick-1-of-63.sqlite" study hlrc --quick --shard 1/63
    ldd one | grep -qF "$moved/lib/lockstep/libcudart.so.13" || { echo "FAILED: $(ldd one)"; failed=1; }
fi
exit "$failed"
END
export installed moved LOCKSTEP_SRC LOCKSTEP_BUILD LOCKSTEP_PRELOAD
hide='mount -t tmpfs none "$LOCKSTEP_BUILD" && mount -t tmpfs none "$LOCKSTEP_SRC"'
if unshare -m sh -c "$hide" 2>/dev/null; then unshare -m bash -c "$hide; . ./away.sh" || failures=$((failures + 1))
else bash away.sh || failures=$((failures + 1)); fi

# A page for each command, with every option of its help; the help has every option of the tables, which the completions list.
man=$moved/share/man/man1
plain() { sed 's/\\f[BR]//g; s/\\-/-/g; s/\\&//g' "$1"; }
words() { grep -oE '(^|[ ,])--[a-z][a-z0-9-]*[a-z0-9]' | tr -d ' ,' | sort -u; }
version=$("$installed" --version | cut -d' ' -f2 | tr -d ,)
commands=$("$installed" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | grep -vx lockstep)
completion=$moved/share/bash-completion/completions/lockstep
zsh=$moved/share/zsh/site-functions/_lockstep
fish=$moved/share/fish/vendor_completions.d/lockstep.fish
[ "$(wc -w <<<"$commands")" -ge 15 ] || wrong "commands: $commands"
[ "$(find "$man" -name 'lockstep-*.1' | wc -l)" = "$(wc -w <<<"$commands")" ] || wrong "pages: $(ls "$man")"
"$installed" help run >run.txt
plain "$man/lockstep.1" >overview.txt
for command in $commands; do
    "$installed" help "$command" >help.txt
    plain "$man/lockstep-$command.1" >page.txt
    words <help.txt >helped
    grep -qF "Lockstep $version" page.txt || wrong "man lockstep-$command has another version than $version"
    grep -qF "lockstep-$command (1)" overview.txt || wrong "man lockstep does not name $command"
    missing=$(words <page.txt | comm -23 helped -)
    [ -z "$missing" ] || wrong "man lockstep-$command has no" $missing
    sed -n "/^    $command)/,/;;/s/ *options='\(.*\)'/\1/p" "$completion" | tr ' ' '\n' | words >listed
    [ -s listed ] || wrong "bash knows no options of $command"
    unknown=$( (cat help.txt run.txt; echo " --help") | words | comm -23 listed -)
    [ -z "$unknown" ] || wrong "help $command does not explain" $unknown
    sed -n "/^    ($command)/,/;;/s/^ *'\*\{0,1\}\(--[a-z0-9-]*\)[=[].*/\1/p" "$zsh" | sort -u | cmp - listed || wrong "zsh knows other options of $command"
    sed -n "s/.*_from $command' -l \([a-z0-9-]*\).*/--\1/p" "$fish" | sort -u | cmp - listed || wrong "fish knows other options of $command"
done
if command -v groff >/dev/null; then
    said=$(groff -man -Tascii -ww "$man"/*.1 2>&1 >/dev/null)
    [ -z "$said" ] || wrong "$said"
fi
! command -v zsh >/dev/null || zsh -n "$zsh" || wrong "$zsh"
! command -v fish >/dev/null || fish -n "$fish" || wrong "$fish"

# complete WORDS...: what bash proposes for the last of them.
complete_word() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lockstep; echo "${COMPREPLY[*]}"' bash "$completion" "$@"
}
proposes() { # proposes TEXT WORDS...
    local text=$1 got
    shift
    got=$(complete_word "$@")
    [ "$got" = "$text" ] || wrong "$* is completed to '$got', not '$text'"
}
proposes "compare" lockstep com
proposes "--protocol" lockstep run --prot
proposes "gtx480-card gtx480-sm2 gtx480" lockstep run --machine gtx480
proposes "lrr,oldest" lockstep compare --sched lrr,ol
proposes "functional" lockstep run --mode = fu
proposes "l1d.sets=" lockstep run --set l1d.sets
proposes "hlrc" lockstep study hl
proposes "stalls.structural" lockstep explain stalls.struct
proposes "" lockstep run --sched lrr ./program --pro

# Headers and .pc file build an observer.
if command -v pkg-config >/dev/null && command -v cc >/dev/null; then
    export PKG_CONFIG_PATH=$moved/share/pkgconfig
    [ "$(pkg-config --modversion lockstep)" = "$version" ] || wrong "lockstep.pc has version $(pkg-config --modversion lockstep)"
    # shellcheck disable=SC2046
    cc -shared -fPIC $(pkg-config --cflags lockstep) -o issues.so "$LOCKSTEP_SRC/examples/observer/issues.c" || wrong "an observer by pkg-config"
fi

# The Debian package: what it depends on, and what is in it.
if [ -n "${LOCKSTEP_LONG:-}" ] && [ -z "$LOCKSTEP_PRELOAD" ] && command -v dpkg-shlibdeps >/dev/null; then
    package=$("$LOCKSTEP_SRC/tools/package" "$LOCKSTEP_BUILD" "$folder") || wrong "tools/package"
    [ "$(dpkg-deb -f "$package" Version)" = "$version" ] || wrong "the package has version $(dpkg-deb -f "$package" Version)"
    for library in libc6 libfyaml0 libjansson4 libsqlite3-0; do
        [[ $(dpkg-deb -f "$package" Depends) = *"$library (>= "* ]] || wrong "the package does not depend on $library"
    done
    [ "$(dpkg-deb -f "$package" Recommends)" = "clang, llvm, g++" ] || wrong "the package does not recommend clang"
    # dpkg installs it into a root with nothing else in it, prepares headers there if there is a clang, and takes all away again.
    mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates root/var/lib/dpkg/triggers
    touch root/var/lib/dpkg/status
    dpkg=(dpkg --root="$folder/root" --log="$folder/dpkg.log" --force-depends --force-script-chrootless --force-not-root)
    "${dpkg[@]}" -i "$package" >dpkg.out 2>&1 || wrong "dpkg -i: $(tail -3 dpkg.out)"
    [[ $(root/usr/bin/lockstep run root/usr/share/lockstep/reference/vecadd.yaml 2>&1) = *PASS* ]] || wrong "the package's lockstep"
    ! command -v clang >/dev/null || [ -n "$(ls root/usr/share/lockstep/headers)" ] || wrong "the package has prepared no headers"
    (cd root && md5sum --quiet -c var/lib/dpkg/info/lockstep.md5sums) || wrong "sums of the package"
    "${dpkg[@]}" -r lockstep >dpkg.out 2>&1 || wrong "dpkg -r: $(tail -3 dpkg.out)"
    [ ! -e root/usr ] || wrong "the package leaves $(find root/usr -type f | head -3)"
fi
finish
