#!/usr/bin/env bash
# Builds the fuzzers and lets each run for a while: libFuzzer with AddressSanitizer, over the modules as SwiftPM builds
# them for release. Ends with a line a target; the exit status is 0 if no rule was broken.
#
#   Tests/Fuzzing/run.sh [TARGET...]        all in Targets/, or these
#
# FUZZ_SECONDS (60) is how long each runs; with 0 it only goes through what is kept in corpus/. What it finds anew goes to
# .build/fuzzing/found/TARGET. An input that breaks a rule is left in .build/fuzzing/broken/ and named.
# FUZZ_JOBS (1) is how many run at once.
# FUZZ_MERGE=1 puts what reaches code that the kept inputs do not reach into corpus/ as well, as little as does.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
seconds=${FUZZ_SECONDS:-60}
jobs=${FUZZ_JOBS:-1}
here=Tests/Fuzzing
scratch=.build/fuzzing
modules=(HTTPWire ModelCatalog HostSystem ModelStore HostTransport HostTelemetry HostService)

skip() { echo "skipped: $*"; exit 77; }

command -v "$swift" >/dev/null || skip "no Swift here"
runtime=$("$swift" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
[ -n "$(find -L "$runtime/clang/lib" "$runtime/../clang" -name 'libclang_rt.fuzzer*' -print -quit 2>/dev/null)" ] \
    || skip "this Swift has no fuzzer runtime (libclang_rt.fuzzer); the toolchains of swift.org for Linux do"
[ "$(uname -s)" = Linux ] || skip "the server is built for Linux"

targets=("$@")
if [ $# -eq 0 ]; then
    for file in "$here"/Targets/*.swift; do targets+=("$(basename "$file" .swift)"); done
fi

# The tests' access to what is internal, for a build that is optimised: a fuzzer of a debug build tries a tenth as much.
# Both sanitizers in one option: of two, as --sanitize makes them, the compiler takes the last, in an order that varies.
"$swift" build -c release --scratch-path "$scratch" -Xswiftc -sanitize=address,fuzzer -Xswiftc -enable-testing \
    --target HostService
build=$scratch/release

# By their list of sources: an object file of a source that is gone stays where it was.
objects=("$build/CHostLinux.build/CHostLinux.c.o")
for module in "${modules[@]}"; do
    while read -r source; do objects+=("$build/$module.build/$(basename "$source").o"); done \
        < <(tr -d "'" < "$build/$module.build/sources")
done

# A trap ends in libFuzzer's hands, which keep the input; Swift's own backtracer would wait for them.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$build/targets" "$scratch/broken"

# compile TARGET: where its binary is older than what it is made of.
compile() {
    local source=$here/Targets/$1.swift binary=$build/targets/$1
    [ -f "$source" ] || { echo "error: no $source"; exit 1; }
    # Of a binary that is not there find complains, which counts as well.
    [ -z "$(find "$source" "$here/Support" "${objects[@]}" -newer "$binary" -print -quit 2>&1)" ] && return
    "${swift}c" -O -wmo -parse-as-library -swift-version 6 -warnings-as-errors -module-name FuzzTarget \
        -sanitize=address,fuzzer -use-ld=lld \
        -I "$build/Modules" -Xcc "-fmodule-map-file=$build/CHostLinux.build/module.modulemap" \
        -I Sources/CHostOpenSSL -I Sources/CHostSQLite \
        "$here"/Support/*.swift "$source" "${objects[@]}" -lssl -lcrypto -lsqlite3 -o "$binary"
}

# fuzz TARGET: one run. Its output goes to a log, its verdict to a file beside it.
fuzz() {
    local target=$1 kept=$here/corpus/$1 found=$scratch/found/$1 log=$scratch/$1.log
    mkdir -p "$kept" "$found"
    # 4 KiB: longer than every limit that a target sets itself. The bounds of time and memory are there for what runs
    # away: a loop without end, or a buffer as large as a number of the input.
    local options=(
        -max_len=4096 -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 "-artifact_prefix=$scratch/broken/$target-"
    )
    [ -f "$here/dictionaries/$target.dict" ] && options+=("-dict=$here/dictionaries/$target.dict")
    if [ "$seconds" -eq 0 ]; then options+=(-runs=0); else options+=("-max_total_time=$seconds"); fi
    local verdict=held
    "$build/targets/$target" "${options[@]}" "$found" "$kept" >"$log" 2>&1 || verdict=BROKEN
    echo $verdict >"$scratch/$target.verdict"
    [ $verdict = held ] && [ "${FUZZ_MERGE:-0}" = 1 ] || return 0
    "$build/targets/$target" -set_cover_merge=1 -use_counters=0 -max_len=1024 "$kept" "$found" >"$scratch/$target.merge.log" 2>&1
}

for target in "${targets[@]}"; do compile "$target"; done
for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    fuzz "$target" &
done
wait

broken=0
for target in "${targets[@]}"; do
    [ "$(cat "$scratch/$target.verdict")" = held ] && continue
    broken=$((broken + 1))
    printf '== %s\n' "$target"
    grep -a -v '^#[0-9]' "$scratch/$target.log" | tail -40
done
printf '== %d fuzzers, %s s each: %d broken\n' ${#targets[@]} "$seconds" $broken
for target in "${targets[@]}"; do
    log=$scratch/$target.log
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(grep -a -o 'cov: [0-9]*' "$log" | tail -1)
    printf '   %-16s %-6s %9s executions, %5s edges\n' \
        "$target" "$(cat "$scratch/$target.verdict")" "${executed:-?}" "${covered#cov: }"
done
[ $broken -eq 0 ] || { echo "   the inputs are in $scratch/broken/"; exit 1; }
