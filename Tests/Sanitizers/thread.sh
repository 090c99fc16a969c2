#!/usr/bin/env bash
# The Swift tests under ThreadSanitizer, which mutex_order.c tells of Swift's Mutex.
#
#   Tests/Sanitizers/thread.sh [ARGUMENT OF swift test...]
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=thread
. Tests/Sanitizers/sanitized_tests.sh

[ -f "$scratch/mutex_order.so" ] || Tests/Sanitizers/planted_races.sh
export LD_PRELOAD=$scratch/mutex_order.so
# After a report it goes on: one run finds them all.
export TSAN_OPTIONS=halt_on_error=0:history_size=4:log_path=$reports
test_sanitized "$@"
