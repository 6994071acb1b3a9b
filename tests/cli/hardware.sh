#!/usr/bin/env bash
# validate --hardware on measurements that were kept: rows that meet, figures by kind, JSON, the page of what to trust, and what is refused.
. "$(dirname "$0")/_lib.sh"
cards=$folder/cards kept=$folder/kept
mkdir -p "$cards/mine" "$kept/gtx480" "$kept/gtx1080ti"
cat >"$cards/cards.yaml" <<'END'
cards:
  mine: a card of the test's own
machines:
  gtx480:
    mine: rates, latencies
END
head='what,type,parameter,median,least,unit,repetitions'
printf '%s\n' "# a card" "$head" add_f32,f32,rate,100,100,op,7 mul_f32,f32,rate,50,50,op,7 add_f32,f32,latency,4,4,cycles,7 sub_f32,f32,rate,9,9,op,7 >"$cards/mine/rates.csv"
printf '%s,source,conditions\n' "$head" >"$cards/mine/memory.csv"
printf '%s\n' 'chase KB,ca,4,30,,cycles,,S1,"one, lane"' >>"$cards/mine/memory.csv"
printf '%s\n' "$head" add_f32,f32,rate,95,95,op,1 mul_f32,f32,rate,100,100,op,1 add_f32,f32,latency,4,4,cycles,1 >"$kept/gtx480/rates.csv"
printf '%s\n' "$head" "chase KB,ca,4,33,33,cycles,1" >"$kept/gtx480/memory.csv"
held() { expect "$1" "$2" validate --hardware --reference "$cards" --measured "$kept" "${@:3}"; }

held 0 "gtx480 beside mine (a card of the test's own)"
held 0 "rates         3         2       52.5%  10%  1 of 2  1.378" gtx480
held 0 "mul_f32, f32, rate: 2.00; add_f32, f32, rate: 0.95" --machine gtx480
held 0 "latencies     1         1        0.0%  10%  1 of 1  1.000            -" gtx480
[ "$("$LOCKSTEP" validate --hardware --reference "$cards" --measured "$kept" gtx480 | grep -c '^ladders')" = 0 ] || wrong "a kind in which the machine is not held against the card"
held 0 "ladders     1         1       10.0%  10%  1 of 1" gtx480 --card mine --kind ladders
held 0 "ladders    chase KB  ca    4               33    30  cycles  1.100" gtx480 --card mine --rows
held 0 "rates     3         0           -  10%       -      -" gtx1080ti --card mine --kind rates
held 1 "rates are 52.5% off, more than 10%" gtx480 --within aim
held 1 "rates are 52.5% off, more than 52%" gtx480 --within 52
held 0 "" gtx480 --within 52.5
held 0 "- Nothing can be said of: how fast arithmetic is" gtx480 --card-page --card mine
held 2 "there is no kind of measurement 'rate'" gtx480 --kind rate
held 2 "did you mean 'mine'" gtx480 --card mina
held 2 "there is no machine that is held against a card 'gtx1080ti'" gtx1080ti
held 2 "gtx481" gtx481 --card mine
held 2 "--within fast" gtx480 --within fast
expect 2 "no measurements of cards" validate --hardware --reference "$folder"
expect 2 "--rows goes with --hardware" validate --rows
expect 2 "--case does not go with --hardware" validate --hardware --case sfu
echo "add_f32,f32,rate,1,1,op" >>"$kept/gtx480/rates.csv"
held 2 "rates.csv:5: error: a row without the 7 columns" gtx480
sed -i '$d' "$kept/gtx480/rates.csv"

"$LOCKSTEP" validate --hardware --reference "$cards" --measured "$kept" --stats "$folder/s.json" --html "$folder/p.html" gtx480 >/dev/null || wrong "no results"
for text in '"schema": 1' '"machine": "gtx480"' '"mean_error": 52.5' '"what": "mul_f32"' '"failures": \[\]'; do
    grep -q "$text" "$folder/s.json" || wrong "the JSON lacks $text"
done
held 0 "" --stats "$folder/s.json" --html "$folder/p.html" gtx480 # they replace themselves
[ "$(grep -c 'scope="row"' "$folder/p.html")" = 3 ] || wrong "the page lacks rows"

# A program that cannot be built is an error that says so.
PATH=/nowhere XDG_CACHE_HOME=$folder/cache expect 2 "cannot build" validate --hardware --reference "$cards" --kind rates gtx480
finish
