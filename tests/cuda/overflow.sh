# int overflows on the host as on the device, at every level of optimization, also in plain C++ files.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
for options in -O0 -O2 -O3; do
    build "$work/overflow" $options "$here/overflow.cu"
    on_simulator "$work/overflow" >"$work/out" || fail "$options: $(cat "$work/out")"
done
cat >"$work/plain.cpp" <<'X'
bool later(int i) { return i + 100 > i; }
X
cat >"$work/main.cu" <<'X'
bool later(int i);
int main(int argc, char **) { return later(0x7fffffff - argc); }
X
build "$work/overflow" -O2 "$work/main.cu" "$work/plain.cpp"
on_simulator "$work/overflow" || fail "a plain file is compiled as if int did not overflow"
