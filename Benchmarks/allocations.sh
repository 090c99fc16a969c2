#!/usr/bin/env bash
# Heap allocations of the server per request, in the steady state of one keep-alive connection. The path of a request is
# made to have none, so this is a test with a number that no busy machine disturbs.
#
#   Benchmarks/allocations.sh [SERVER-BINARY]
[ $# -eq 0 ] || export AIMODEL_HOST=$1
. "$(dirname "$0")/../Tests/Support/host.sh"

need python3
compiler=$(command -v cc || command -v clang || command -v gcc) || skip "no C compiler here"
"$compiler" -O2 -Wall -Wextra -fno-builtin -shared -fPIC -o "$scratch/malloc_count.so" "$here/Benchmarks/malloc_count.c" \
    || skip "the malloc counter does not build here (it needs glibc)"

# The server is found here so that a missing one is said in one place.
AIMODEL_HOST=$(find_host) python3 "$here/Benchmarks/count_allocations.py" "$scratch/malloc_count.so" "$scratch"
