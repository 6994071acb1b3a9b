#!/usr/bin/env bash
# On a terminal tables keep to its width and few words have a colour; in a pipe nothing of that is seen.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_terminal.sh"
cases=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1

# Every table keeps to the width, and says what it says in a pipe: word by word, but for what repeats the first column.
for words in machines protocols "params sm" "stats stalls" "machines --departures" "protocols vi" "run $cases/vecadd.yaml" \
    "compare --sched lrr,gto,tls,cawa $cases/vecadd.yaml"; do
    # shellcheck disable=SC2086 # several words
    "$LOCKSTEP" $words >pipe 2>&1
    grep -q "$escape" pipe && wrong "colours in a pipe: $words"
    for columns in 60 80 132; do
        on_terminal $columns "$words" | plain >terminal
        [[ $words != protocols\ vi ]] || sed -i '/^orders/,$d; 1d' terminal # sentences, which the terminal wraps
        [ "$(widest <terminal)" -le $columns ] || { wrong "$words is wider than $columns columns"; cat terminal; }
    done
    on_terminal 1000 "$words" | plain | diff - <(cat pipe) | grep -v ' [kM]/s$' | grep '^[<>]' &&
        wrong "$words differs on a wide terminal"
done
on_terminal 60 machines | plain | tr -s ' \n' ' ' >terminal
[ "$(cat terminal)" = "$("$LOCKSTEP" machines | tr -s ' \n' ' ')" ] || wrong "words of machines are lost"
# Numbers are whole where they are divided among tables; names are not.
on_terminal 100 "run /bin/true" | plain | grep -q '^lockstep: machine gtx480 ' || wrong "run does not say on which machine"
"$LOCKSTEP" run /bin/true 2>&1 | grep -q 'machine gtx480' && wrong "run says in a pipe that it took the default machine"
on_terminal 60 "run $cases/vecadd.yaml" | plain >terminal
for text in 12735 67584 '1.06 mJ' '2.10 mJ' 'structural 51%'; do
    sees terminal "$text"
done
[ "$(grep -c '^vecadd ' terminal)" -gt 1 ] || wrong "the table of a run is not divided"
sed "s/vecadd/a_kernel_with_a_name_that_takes_much_of_the_line/g" "$cases/vecadd.ptx" >long.ptx
sed "s/ptx: .*/ptx: long.ptx/; s/kernel: .*/kernel: a_kernel_with_a_name_that_takes_much_of_the_line/" "$cases/vecadd.yaml" >long.yaml
on_terminal 60 run long.yaml | plain >terminal
sees terminal '^a_kernel.*\.\.\..*the_line '
# The width is the terminal's, else that of COLUMNS, else 80.
COLUMNS=50 on_terminal 0 machines | plain | widest >width
[ "$(cat width)" -le 50 ] && [ "$(cat width)" -gt 40 ] || wrong "COLUMNS is not heard: $(cat width)"
COLUMNS=50 on_terminal 100 machines | plain | widest >width
[ "$(cat width)" -gt 50 ] || wrong "COLUMNS holds over the terminal"
for columns in '' none -5 0; do
    COLUMNS=$columns on_terminal 0 machines | plain | widest >width
    [ "$(cat width)" -le 80 ] && [ "$(cat width)" -gt 60 ] || wrong "COLUMNS='$columns': $(cat width) columns"
done

# Colours: PASS and FAIL, what diagnostics begin with, the largest cause; on a terminal that takes them alone.
sed 's/crc32: 0x......../crc32: 0x00000001/; s/vecadd\.ptx/v.ptx/' "$cases/vecadd.yaml" >fail.yaml
cp "$cases/vecadd.ptx" v.ptx
on_terminal 200 "run $cases/vecadd.yaml" >terminal
sees terminal "$escape\[32mPASS$escape\[0m c"
sees terminal "$escape\[1mstructural 51%$escape\[0m, data"
[ "$(grep -o "$escape\[[0-9;]*m" terminal | wc -l)" -eq 4 ] || wrong "more colours than two in a run"
on_terminal 120 run fail.yaml >terminal
sees terminal "$escape\[1;31mFAIL$escape\[0m c"
on_terminal 120 "compare --sched lrr,gto $cases/vecadd.yaml" >terminal
[ "$(grep -c "^  structural .*$escape\[1m[0-9.]*%$escape\[0m.*$escape\[1m[0-9.]*%" terminal)" -eq 1 ] || wrong "the largest causes of a comparison"
on_terminal 120 run --sched lru x >terminal
sees terminal "^$escape\[1;31merror:$escape\[0m there is no"
on_terminal 120 rnu >terminal
sees terminal "^    $escape\[36mhint:$escape\[0m did you mean"
on_terminal 120 "run $cases/vecadd.yaml --set l2.ways=2 --set l2.ways=4" >terminal
sees terminal "^$escape\[36mnote:$escape\[0m --set"
sed -i 's/^grid/gird/' fail.yaml
on_terminal 120 run fail.yaml >terminal
sees terminal "^fail.yaml:[0-9:]* $escape\[1;31merror:$escape\[0m "
for none in "NO_COLOR=1" "TERM=dumb"; do
    (export "${none?}"; on_terminal 120 "run $cases/vecadd.yaml"; on_terminal 120 rnu) | grep -v "$escape\[K" >terminal
    sees_no terminal "$escape"
    sees terminal PASS
done
(export NO_COLOR=; on_terminal 120 rnu) >terminal
sees terminal "$escape\[1;31merror"
# A stream that is no terminal has none, whatever the other is.
script -qec "$LOCKSTEP run $cases/vecadd.yaml >file; $LOCKSTEP rnu 2>>file" /dev/null </dev/null >/dev/null
sees_no file "$escape"
sees file PASS
finish
