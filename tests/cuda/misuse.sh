# Wrong calls answer the errors that a card's runtime answers, change nothing, and each is explained once on standard error.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/misuse" "$here/misuse.cu"
on_simulator "$work/misuse" >"$work/out" 2>"$work/err" || fail "ended with $?: $(cat "$work/out")"
[ "$(cat "$work/out")" = "all are refused" ] || fail "it printed $(cat "$work/out")"
[ -z "$(sort "$work/err" | uniq -d | grep -v hint)" ] || fail "something is said twice"
said() {
    grep -q "^note: $1 is refused with $2: .*$3" "$work/err" || fail "no word of $1, $2, $3: $(cat "$work/err")"
}
said cudaMemcpy2D cudaErrorInvalidValue '1280 bytes from there, rows and pitches counted, but the allocation has 1024'
said cudaMemcpy2D cudaErrorInvalidPitchValue 'rows of 16 bytes are wider than the pitch, 8'
said cudaMemset2D cudaErrorInvalidValue '1040 bytes from there'
said cudaMemcpy cudaErrorInvalidValue 'no allocation is there, or none any more'
said cudaMemcpy cudaErrorInvalidValue 'the direction says device memory, but what is to be read is none'
said cudaMemcpy cudaErrorInvalidValue 'the pointer to what is to be read is null'
said cudaMemcpy3D cudaErrorInvalidPitchValue '17 bytes from column 0 do not fit the pitch, 16'
said cudaFree cudaErrorInvalidValue 'was freed before'
said cudaMemcpyToSymbol cudaErrorInvalidValue '17 bytes at offset 0 do not lie in a symbol of 16'
said 'a launch' cudaErrorInvalidConfiguration '2048 x 1 x 1 threads'
said 'a launch' cudaErrorInvalidValue '1048576 dynamic'
said 'a launch' cudaErrorInvalidDeviceFunction 'the pointer to its kernel is null'
said cudaStreamSynchronize cudaErrorInvalidResourceHandle 'that is no stream, or it was destroyed'
said cudaEventRecord cudaErrorInvalidResourceHandle 'that is no event, or it was destroyed'
