#!/bin/sh
# Checks the Promela models of tests/models with spin: every reachable state, and that known mistakes are found.
#
# usage: tools/check_models.sh
set -eu
cd "$(dirname "$0")/.."

tools/deps.sh cc spin

dir=build/models
mkdir -p $dir

# Prints "right", or "wrong" when spin has found an error. Incomplete searches are failures.
verify() { # define...
    rm -rf "$dir/run"
    mkdir "$dir/run"
    (
        cd "$dir/run"
        spin -a "$@" ../../../tests/models/ring.pml >spin.log 2>&1 || { cat spin.log >&2; exit 1; }
        cc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=4000 -o pan pan.c
        ./pan -m1000000 >pan.log 2>&1 || { cat pan.log >&2; exit 1; }
        if grep -q 'search not completed\|max search depth too small\|out of memory' pan.log &&
            ! grep -q 'errors: [1-9]' pan.log; then
            cat pan.log >&2
            exit 1
        fi
        states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
        if grep -q 'errors: 0' pan.log; then echo "right ($states states)"; else echo wrong; fi
    )
}

failed=0
check() { # expected define...
    expected=$1
    shift
    found=$(verify "$@") || found=failed
    printf '%-56s %s\n' "ring $*" "$found"
    case $found in
    "$expected"*) ;;
    *) failed=1 ;;
    esac
}

check right
check right -DWORDS=2 -DTILES=6
check right -DROWS=8 -DREACH=4 -DBLOCK=4 -DTILES=10 -DWORKERS=2
check right -DROWS=2 -DREACH=1 -DBLOCK=1 -DTILES=8
check right -DROWS=8 -DBLOCK=1 -DTILES=9 -DWORKERS=4
check right -DIMPATIENT
check wrong -DBUG_GATE
check wrong -DBUG_TAIL -DBLOCK=1
check wrong -DBUG_REACH -DREACH=1 -DBLOCK=1
check wrong -DBUG_TAG
check wrong -DROWS=3
test $failed = 0 || {
    echo "models: a model is not as it should be" >&2
    exit 1
}
echo "models: checked"
