#!/usr/bin/env bash
# Runs the Swift tests under a sanitizer, in a build folder of its own. Fails on a failed test and on a report.
#
#   Tests/Sanitizers/sanitize.sh address|thread [ARGUMENT OF swift test...]
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
kind=${1:?address or thread}
shift
here=Tests/Sanitizers
scratch=.build/$kind
mkdir -p "$scratch"
# The path of a report's beginning: each process that has something to say adds its number.
reports=$PWD/$scratch/report
rm -f "$reports".*

# A report of the sanitizer is all that is wanted; Swift's own backtracer would wait for a process that it cannot stop.
export SWIFT_BACKTRACE=enable=no
preload=
case $kind in
address)
    # Leaks too. What the runtime itself keeps to its end is named in leaks.supp.
    export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=0:log_path=$reports
    export LSAN_OPTIONS=suppressions=$PWD/$here/leaks.supp:print_suppressions=0
    ;;
thread)
    [ "$(uname -s)" = Linux ] || { echo "skipped: what is told of Mutex is how Linux has it"; exit 77; }
    "$here/planted_races.sh"
    preload=$PWD/$scratch/mutex_order.so
    # Go on after a report: one run finds them all.
    export TSAN_OPTIONS=halt_on_error=0:history_size=4:log_path=$reports
    ;;
*)
    echo "error: $kind is no sanitizer of this script; address and thread are" >&2
    exit 1
    ;;
esac

"$swift" build --build-tests --sanitize "$kind" --scratch-path "$scratch"
result=0
# Two runs, as make test-swift has them.
for choice in "--skip ModelDeliveryTests" "--filter ModelDeliveryTests"; do
    [ $# -eq 0 ] || choice=
    # shellcheck disable=SC2086
    env ${preload:+LD_PRELOAD="$preload"} \
        "$swift" test --skip-build --sanitize "$kind" --scratch-path "$scratch" $choice "$@" || result=1
    [ $# -eq 0 ] || break
done

found=0
for report in "$reports".*; do
    [ -s "$report" ] || continue
    found=$((found + 1))
    cat "$report"
done
printf '== %s sanitizer: %d processes with reports%s\n' "$kind" $found "$([ $result -eq 0 ] || echo ', tests failed')"
[ $result -eq 0 ] && [ $found -eq 0 ]
