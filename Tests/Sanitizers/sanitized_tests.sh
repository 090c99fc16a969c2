# Runs the Swift tests under a sanitizer, in a build folder of its own; to be sourced, with `kind` set to address or
# thread. Extra arguments go to `swift test`. Exits with 1 where a test fails, or the sanitizer has something to say.
# shellcheck shell=bash disable=SC2154

swift=${SWIFT:-swift}
here=Tests/Sanitizers
scratch=$PWD/.build/$kind
mkdir -p "$scratch"
# How the files of the reports begin: each process that has one adds its number.
reports=$scratch/report
rm -f "$reports".*

# Where it ends in a trap, Swift's own backtracer would wait for a process that it cannot stop.
export SWIFT_BACKTRACE=enable=no

# run_tests ARGUMENT...: to `swift test`.
run_tests() {
    "$swift" test --skip-build --sanitize "$kind" --scratch-path "$scratch" "$@" || failed=$((failed + 1))
}

# test_sanitized [ARGUMENT...]
test_sanitized() {
    local report failed=0 found=0
    env -u LD_PRELOAD "$swift" build --build-tests --sanitize "$kind" --scratch-path "$scratch"
    if [ $# -gt 0 ]; then
        run_tests "$@"
    else
        # Two runs, as make test-swift has them.
        run_tests --skip ModelDeliveryTests
        run_tests --filter ModelDeliveryTests
    fi
    for report in "$reports".*; do
        [ -s "$report" ] || continue
        found=$((found + 1))
        cat "$report"
    done
    printf '== %s sanitizer: %d runs with a failed test, %d processes with reports\n' "$kind" "$failed" "$found"
    [ "$failed" -eq 0 ] && [ "$found" -eq 0 ]
}
