#!/usr/bin/env bash
# Builds what tells ThreadSanitizer of Mutex (mutex_order.c), and proves that it hides nothing and is needed: of two races
# planted in a program (one that is none: behind a Mutex; one that is: beside it) it is silent on the first, and the
# sanitizer still finds the second.
#
# Leaves mutex_order.so in .build/thread/ for the tests.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
here=Tests/Sanitizers
scratch=$PWD/.build/thread
mkdir -p "$scratch"

# Swift's calling convention is known to clang, which every toolchain has beside its compiler.
toolchain=$(dirname "$(readlink -f "$(command -v "$swift")")")
compiler=$toolchain/clang
[ -x "$compiler" ] || compiler=$(command -v clang) || { echo "skipped: no clang here"; exit 77; }
"$compiler" -O1 -Wall -Wextra -Werror -shared -fPIC -o "$scratch/mutex_order.so" "$here/mutex_order.c"
"${swift}c" -sanitize=thread -swift-version 6 -parse-as-library -warnings-as-errors -g -use-ld=lld \
    -o "$scratch/planted_races" "$here/PlantedRaces.swift"

export SWIFT_BACKTRACE=enable=no
# Prints how many races the sanitizer reports: PRELOAD [ARGUMENT]
races() {
    local output=$scratch/planted_races.log
    LD_PRELOAD=$1 TSAN_OPTIONS=exitcode=0:halt_on_error=0 "$scratch/planted_races" "${@:2}" >"$output" 2>&1 \
        || { cat "$output" >&2; return 1; }
    grep -q '^counted 800$' "$output" || { cat "$output" >&2; return 1; }
    grep -c '^WARNING: ThreadSanitizer' "$output" || true
}

failed=0
behind=$(races "$scratch/mutex_order.so")
if [ "$behind" -eq 0 ]; then echo "ok: nothing is reported behind a Mutex"; else
    echo "FAILED: $behind reports on what a Mutex guards:"; cat "$scratch/planted_races.log"; failed=$((failed + 1))
fi
beside=$(races "$scratch/mutex_order.so" planted)
# Two: an access of Swift's exclusivity rule, and the memory itself.
if [ "$beside" -gt 0 ]; then echo "ok: the race beside it is found ($beside reports)"; else
    echo "FAILED: the race beside the Mutex is not found"; failed=$((failed + 1))
fi
bare=$(races "")
[ "$bare" -gt 0 ] || echo "note: nothing is reported without mutex_order.so either: it may no longer be needed"
printf '== planted races: 2 checks, %d failed\n' $failed
[ $failed -eq 0 ]
