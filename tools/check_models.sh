#!/bin/sh
# Checks the Promela models of tests/models with spin: that no reachable state is wrong, and that spin finds planted
# mistakes.
#
# usage: tools/check_models.sh [MODEL]        ring, lookback, back or hash; default: all of them
#        tools/check_models.sh one LINE...    one line of the list below
set -eu
cd "$(dirname "$0")/.."

dir=build/models
mkdir -p $dir

# Prints "right", or "wrong" if spin has found an error. Incomplete searches are failures. With "cycles" instead of
# "states", an endless run is an error, too. Short searches are not compiled with optimization.
verify() { # expected states|cycles model define...
    case $1 in
    right) optimize=-O2 ;;
    *) optimize=-O0 ;;
    esac
    search=$2
    model=$3
    shift 3
    case $search in
    states) compile=-DSAFETY run= ;;
    cycles) compile=-DNP run=-l ;;
    esac
    at=$(mktemp -d $dir/$model.XXXXXX)
    (
        cd "$at"
        spin -a "$@" ../../../tests/models/$model.pml >spin.log 2>&1 || { cat spin.log >&2; exit 1; }
        cc $optimize -w $compile -DCOLLAPSE -DMEMLIM=1000 -o pan pan.c
        ./pan -m1000000 $run >pan.log 2>&1 || { cat pan.log >&2; exit 1; }
        if grep -q 'search not completed\|max search depth too small\|out of memory\|reached -DMEMLIM' pan.log &&
            ! grep -q 'errors: [1-9]' pan.log; then
            cat pan.log >&2
            exit 1
        fi
        states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
        if grep -q 'errors: 0' pan.log; then echo "right ($states states)"; else echo wrong; fi
    ) || echo failed
    rm -rf "$at"
}

if [ "${1:-}" = one ]; then
    expected=$2
    shift 2
    found=$(verify "$expected" "$@")
    printf '%-64s %s\n' "$*" "$found"
    case $found in
    "$expected"*) exit 0 ;;
    *) exit 1 ;;
    esac
fi

tools/deps.sh cc spin

# The expected result, the kind of search, the model, definitions.
list="
right states ring
right states ring -DWORDS=2 -DTILES=6
right states ring -DROWS=8 -DREACH=4 -DBLOCK=4 -DTILES=10 -DWORKERS=2
right states ring -DROWS=2 -DREACH=1 -DBLOCK=1 -DTILES=8
right states ring -DROWS=8 -DBLOCK=1 -DTILES=9
right states ring -DIMPATIENT
wrong states ring -DBUG_GATE
wrong states ring -DBUG_TAIL -DBLOCK=1
wrong states ring -DBUG_REACH -DREACH=1 -DBLOCK=1
wrong states ring -DBUG_TAG
wrong states ring -DBUG_STORE
wrong states ring -DROWS=3

right states lookback
right states lookback -DWORDS=2 -DTILES=3
right states lookback -DTILES=3 -DPOLLS -DSILENT
right states lookback -DWORDS=2 -DWORKERS=2 -DPOLLS -DLATER
right states lookback -DWORDS=2 -DTILES=3 -DWORKERS=2 -DPOLLS -DSILENT -DINEXACT
right states lookback -DWORDS=2 -DTILES=3 -DWORKERS=2 -DIN_PLACE
right states lookback -DLANES=3
right states lookback -DLANES=3 -DPOLLS -DLATER
right states lookback -DLANES=2 -DPOLLS -DSILENT -DLATER
right states lookback -DLANES=2 -DWORDS=2 -DTILES=3
right states lookback -DLANES=2 -DWORDS=2 -DTILES=3 -DWORKERS=2 -DPOLLS
right states lookback -DLANES=2 -DORDERED
right states lookback -DLANES=2 -DORDERED -DHEADS=4
right states lookback -DLANES=3 -DORDERED -DHEADS=2
wrong states lookback -DWORDS=2 -DTILES=3 -DBUG_AGREE
wrong states lookback -DWORDS=2 -DTILES=3 -DPOLLS -DBUG_POST
wrong states lookback -DWORDS=2 -DWORKERS=2 -DPOLLS -DLATER -DBUG_EXACT
wrong states lookback -DTILES=2 -DBUG_ORDER
wrong states lookback -DBUG_TICKET
wrong states lookback -DSILENT
wrong states lookback -DPOLLS -DIN_PLACE
wrong states lookback -DLANES=2 -DBUG_LATE
wrong states lookback -DLANES=2 -DBUG_INCLUSIVE
wrong states lookback -DLANES=2 -DBUG_STEP
wrong states lookback -DLANES=2 -DBUG_REREAD
wrong states lookback -DLANES=2 -DORDERED -DBUG_ANCHOR
wrong states lookback -DLANES=2 -DORDERED -DHEADS=2 -DBUG_ANCHOR

right states back -DTILES=3
right states back -DWORKERS=2
right states back -DWORKERS=2 -DGROUP=2
right states back -DWORKERS=2 -DLEAVES=8 -DTILES=5
right states back -DLOCAL -DTILES=3
right states back -DLOCAL -DLEAVES=8 -DTILES=5 -DWORKERS=2
right states back -DLOCAL -DSILENT -DTILES=3 -DWORKERS=2
wrong states back -DLOCAL -DSILENT -DTILES=3 -DWORKERS=2 -DBUG_AGREE
wrong states back -DBUG_LEAF
wrong states back -DBUG_NODE
wrong states back -DBUG_OURS
wrong states back -DTILES=3 -DBUG_LAST
wrong states back -DLOCAL -DTILES=3 -DBUG_LAST
wrong states back -DTILES=3 -DWORKERS=2 -DBUG_TICKET
wrong states back -DTILES=3 -DWORKERS=2 -DSILENT

right states hash -DSTALE
right states hash -DSPLIT -DSTALE -DKEYS=1
right states hash -DSPLIT -DSTALE -DITEMS=2
right states hash -DITEMS=2 -DKEYS=3 -DSPREAD -DONES
right states hash -DITEMS=2 -DSPLIT -DKEYS=3
right states hash -DITEMS=2 -DSPLIT -DKEYS=1 -DONES
right states hash -DITEMS=2 -DLINE -DSTALE -DKEYS=3
right states hash -DITEMS=2 -DLINE -DSPLIT -DSTALE
right cycles hash -DITEMS=2
right cycles hash -DITEMS=2 -DSPLIT
right cycles hash -DITEMS=2 -DLINE
right cycles hash -DITEMS=2 -DLINE -DSPLIT
wrong states hash -DBUG_CLAIM
wrong states hash -DBUG_CHECK
wrong states hash -DBUG_STORE
wrong states hash -DBUG_EMPTY
wrong states hash -DBUG_REUSE
wrong states hash -DBUG_AGAIN
wrong states hash -DKEYS=3 -DBUG_STEPS
wrong states hash -DSPLIT -DBUG_CLAIM
wrong states hash -DSPLIT -DBUG_CHECK
wrong states hash -DSPLIT -DBUG_STORE
wrong states hash -DSPLIT -DBUG_EMPTY
wrong states hash -DSPLIT -DBUG_REUSE
wrong states hash -DSPLIT -DBUG_ORDER
wrong states hash -DSPLIT -DKEYS=3 -DBUG_STEPS
wrong states hash -DLINE -DBUG_CLAIM
wrong states hash -DLINE -DSPLIT -DBUG_CLAIM
"
printf '%s\n' "$list" | grep " ${1:-[a-z]*}\( \|$\)" >$dir/list
test -s $dir/list || {
    echo "models: no such model: $1" >&2
    exit 1
}
xargs -P "$(nproc 2>/dev/null || echo 1)" -L 1 tools/check_models.sh one <$dir/list || {
    echo "models: a model is not as it should be" >&2
    exit 1
}
echo "models: $(grep -c '^right' $dir/list) right, $(grep -c '^wrong' $dir/list) mistakes found"
