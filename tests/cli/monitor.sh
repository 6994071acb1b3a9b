#!/usr/bin/env bash
# Runs that are watched: who may look and act, what is to be seen, holding and stepping, checkpoints. Results are to the bit those of a
# run that nobody watches.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_monitor.sh"
little_locks "$folder"
case=$folder/ht64.yaml
"$LOCKSTEP" run --quiet --stats "$folder/plain.json" "$case" >"$folder/plain.out" || wrong "the case fails"
{ without_host "$folder/plain.json" && cat "$folder/plain.out"; } >"$folder/plain"
cycles=$(sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' "$folder/plain" | head -n 1)
instructions=$(sed -n 's/^ *"warp_instructions": \([0-9]*\),$/\1/p' "$folder/plain" | head -n 1)
warp_cycles=$(sed -n 's/^ *"warp_cycles": \([0-9]*\),$/\1/p' "$folder/plain" | head -n 1)

# What is wrong is said before anything runs.
expect 2 "from 1 to 65535" run --monitor 65536 "$case"
expect 2 "from 1 to 65535" run --monitor here "$case"
expect 2 "functional mode has no cycles" run --monitor 0 --mode functional "$case"
expect 2 "--hold needs --monitor" run --hold "$case"
expect 2 "--checkpoint needs --checkpoint-every, or --monitor" run --checkpoint "$folder/at" "$case"

# Held at the beginning, by two threads.
watched "$folder/first" --hold --threads 2 --checkpoint "$folder/at.%c" "$case"
expect 2 "cannot serve at this port" run --monitor "$port" "$case"
until_seen '"state":"paused"'
[ "$(number cycle)" -eq 0 ] && [ "$(word kernel)" = ht ] || wrong "it begins so: $state"

# Only who has the token, calls the computer by its own name, and uses the method that a thing has.
host="Host: 127.0.0.1:$port"
while read -r want method target headers; do
    IFS='|' read -ra lines <<<"${headers:-$host}"
    ask "$method" "$target" "${lines[@]}"
    [ "$code" = "$want" ] || wrong "$method $target ($headers) is answered $code, expected $want: $answer"
    if [ "$want" != 200 ] && grep -qi "kernel\|$token" <<<"$answer"; then
        wrong "$method $target tells: $answer"
    fi
done <<END
200 GET /$token/
200 GET /$token/state
200 GET /$token/state Host: localhost:$port
403 GET /
403 GET /state
403 GET /${token%?}/state
403 GET /${token%?}x/state
403 GET /$(tr 0-9a-f 1-9a-f0 <<<"$token")/state
403 POST /pause
403 GET /$token
404 GET /$token/other
404 GET /$token/../../etc/passwd
403 GET /$token/state Host: example.org:$port
403 GET /$token/state Host: 127.0.0.1
403 GET /$token/state X-Nothing: there is no Host
403 POST /$token/run $host|Origin: http://example.org
403 POST /$token/run $host|Origin: null
405 POST /$token/state
405 POST /$token/
405 GET /$token/run
405 GET /$token/step?cycles=5
405 PUT /$token/run
405 HEAD /$token/checkpoint
413 POST /$token/run $host|Content-Length: 5
413 POST /$token/run $host|Transfer-Encoding: chunked
414 GET /$token/$(printf '%0300d' 0)
400 POST /$token/step
400 POST /$token/step?cycles=0
400 POST /$token/step?cycles=-1
400 POST /$token/step?cycles=1x
400 POST /$token/step?cycles=99999999999999999999
END
ask GET "/$token/$(printf '%040000d' 0)"
[[ ${code:-414} == 4* ]] || wrong "a very long address is answered $code"
ask GET "/$token/"
[[ $answer == *"</html>"* && $answer != *@nonce@* && $answer != *$token* ]] || wrong "no page: $answer"
grep -Eq '(src|href)=|https?://' <<<"$answer" && wrong "the page needs others"
ss -ltnH "sport = :$port" 2>/dev/null | grep -v "127.0.0.1:$port" && wrong "it listens elsewhere too"
look
[ "$(number cycle)" -eq 0 ] || wrong "it went on: $state"

# Steps of some cycles and of a window; in between nothing moves.
held_after "step?cycles=1000"
at=$(number cycle)
[ "$at" -ge 1000 ] && [ "$at" -lt 1100 ] || wrong "1000 cycles lead to $at"
act checkpoint
until_seen '"checkpoint":\{'
grep -q '"error":null' <<<"$state" && [ -e "$folder/at.$at" ] || wrong "no checkpoint at $at: $state"
held_after window
[ "$(number cycle)" -gt "$at" ] && [ "$(number cycle)" -lt $((at + 200)) ] || wrong "a window leads from $at to $(number cycle)"
held_after "step?cycles=5000"
at=$(number cycle)
sleep 0.3
look
[ "$(number cycle)" -eq "$at" ] && [ "$(number order)" -gt 1 ] || wrong "it does not stand still: $at, $state"

# What is to be seen adds up: causes to the cycles of warps, groups of warps to those that have not ended.
groups=$(grep -oE '"warps":[0-9]+,"cause"' <<<"$state" | grep -oE '[0-9]+' | awk '{ n += $1 } END { print n }')
[ "$(number unfinished)" -eq 16 ] && [ "$groups" -eq 16 ] || wrong "of 16 warps $groups are in groups: $state"
[ "$(number blocks)" -eq 4 ] && grep -q 'block (0,0,0) warp' <<<"$state" && grep -q 'ht.ptx:[0-9]' <<<"$state" || wrong "$state"
[ "$(causes)" -eq $((16 * at - 16)) ] || [ "$(causes)" -eq $((16 * at)) ] || wrong "16 warps in $at cycles: $(causes) warp-cycles"
act checkpoint
until_seen "\"device_cycle\":$at,\"file\""

# A step beyond the end is held there, with the final numbers. Then the run ends, and the server with it.
held_after "step?cycles=1000000000000"
[ "$(word state)" = ended ] && [ "$(number cycle)" -eq "$cycles" ] && [ "$(number warp_instructions)" -eq "$instructions" ] &&
    [ "$(causes)" -eq "$warp_cycles" ] || wrong "expected $cycles cycles, $instructions instructions, $warp_cycles: $state"
act run
ended "$folder/first"
cmp "$folder/plain" "$folder/first/result" || wrong "it was watched, and ends otherwise"
ask GET "/$token/state" && [ -n "$code" ] && wrong "somebody answers behind the end"
grep -rlq "$token" "$folder/first/json" "$folder"/at.* && wrong "the token is in the results"

# From its checkpoints it goes on as if nothing had been.
n=0
for file in "$folder"/at.*; do
    "$LOCKSTEP" run --quiet --resume "$file" --stats "$folder/rest.json" "$case" >"$folder/rest.out"
    { without_host "$folder/rest.json" && cat "$folder/rest.out"; } >"$folder/rest"
    cmp "$folder/plain" "$folder/rest" || wrong "it goes on otherwise from $file"
    n=$((n + 1))
done
[ "$n" -eq 2 ] || wrong "there are $n checkpoints"

# Checkpoints need --checkpoint; a run that is held ends by a signal and by its time.
watched "$folder/second" --hold "$case"
until_seen '"state":"paused"'
ask POST "/$token/checkpoint"
[ "$code" = 409 ] && [[ $answer == *--checkpoint* ]] || wrong "a checkpoint without a name is answered $code: $answer"
kill -TERM "$run"
wait "$run"
[ $? -eq 143 ] || wrong "SIGTERM does not end a run that is held"
expect 5 "max-seconds" run --quiet --monitor 0 --hold --max-seconds 0.3 "$case"

# A checkpoint that cannot be written is no failure of the run.
mkdir "$folder/full"
watched "$folder/third" --hold --checkpoint "$folder/full/at" "$case"
until_seen '"state":"paused"'
held_after "step?cycles=5000"
mkdir "$folder/full/at" "$folder/full/at/x"
act checkpoint
until_seen '"checkpoint":\{"device_cycle":[0-9]*,"file":"[^"]*","error":"'
act run
ended "$folder/third"
cmp "$folder/plain" "$folder/third/result" || wrong "a checkpoint that failed changes the results"

# A kernel that does something illegal, in the middle of a step that ends soon behind it: partitions come as far as they would.
cp "$LOCKSTEP_SRC/tests/reference/vecadd.ptx" "$folder"
sed '/^check/,$d; s/c: {type: f32, count: 98304/c: {type: f32, count: 24576/' "$LOCKSTEP_SRC/tests/reference/vecadd.yaml" >"$folder/fault.yaml"
"$LOCKSTEP" run --quiet --stats "$folder/fault.json" "$folder/fault.yaml" >"$folder/fault.out" 2>&1
without_host "$folder/fault.json" >"$folder/fault"
faulted=$(sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' "$folder/fault" | head -n 1)
[ "$faulted" -gt 1000 ] || wrong "no fault"
for more in 0 1 3 8 20; do
    watched "$folder/illegal" --hold "$folder/fault.yaml"
    until_seen '"state":"paused"'
    held_after "step?cycles=$((faulted + more))"
    [ "$(word status)" = fault ] || wrong "no fault in $((faulted + more)) cycles: $state"
    act run
    wait "$run"
    run=
    without_host "$folder/illegal/json" | cmp - "$folder/fault" || wrong "a fault $more cycles before a step's end has other results"
done

# Held wherever it happens to be, with and without skipping: cycles are those of a run that nobody holds.
case=$LOCKSTEP_SRC/tests/reference/ht64.yaml
"$LOCKSTEP" run --quiet --stats "$folder/plain.json" "$case" >"$folder/plain.out" || wrong "the case fails"
{ without_host "$folder/plain.json" && cat "$folder/plain.out"; } >"$folder/plain"
for options in "" "--no-skip --threads 2"; do
    # shellcheck disable=SC2086
    watched "$folder/fourth" --hold $options "$case"
    until_seen '"state":"paused"'
    n=0
    for ((k = 0; k < 8; k++)); do
        held_after "step?cycles=$((k * 777 + 1))"
        act run
        ask POST "/$token/pause" || break
        for ((i = 0; i < 1200; i++)); do
            look && [ "$(word held)" = false ] || break
        done
        [ "$(word state)" = paused ] || break
        n=$((n + 1))
    done
    [ "$n" -ge 2 ] || wrong "it was held $n times only"
    ask POST "/$token/run"
    ended "$folder/fourth"
    cmp "$folder/plain" "$folder/fourth/result" || wrong "looking changes the results $options"
done
finish
