#!/usr/bin/env bash
# The Swift tests under AddressSanitizer and LeakSanitizer.
#
#   Tests/Sanitizers/address.sh [ARGUMENT OF swift test...]
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=address
. Tests/Sanitizers/sanitized_tests.sh

export ASAN_OPTIONS=detect_leaks=1:log_path=$reports
# What is not given back, and is not ours.
export LSAN_OPTIONS=suppressions=$PWD/$here/leaks.supp:print_suppressions=0
test_sanitized "$@"
