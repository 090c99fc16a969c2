#!/usr/bin/env bash
# Builds the fuzzers and lets each run for a while: libFuzzer with AddressSanitizer, over the modules as SwiftPM builds
# them for release. Ends with a line a target; the exit status is 0 if no rule was broken.
#
#   Tests/Fuzzing/run.sh [TARGET...]        all in Targets/, or these
#
# FUZZ_SECONDS (60) is how long each runs; with 0 it only goes through what is kept in corpus/. What it finds anew goes to
# .build/fuzzing/found/TARGET. An input that breaks a rule is left in .build/fuzzing/broken/ and named.
# FUZZ_MERGE=1 puts what reaches code that the kept inputs do not reach into corpus/ as well, as little as does.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
seconds=${FUZZ_SECONDS:-60}
here=Tests/Fuzzing
scratch=.build/fuzzing
modules=(HTTPWire ModelCatalog HostSystem ModelStore HostTransport HostTelemetry HostService)

skip() { echo "skipped: $*"; exit 77; }

command -v "$swift" >/dev/null || skip "no Swift here"
runtime=$("$swift" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
[ -n "$(find -L "$runtime/clang/lib" "$runtime/../clang" -name 'libclang_rt.fuzzer*' -print -quit 2>/dev/null)" ] \
    || skip "this Swift has no fuzzer runtime (libclang_rt.fuzzer); the toolchains of swift.org for Linux do"
if ! [ "$(uname -s)" = Linux ]; then skip "the server is built for Linux"; fi

targets=("$@")
if [ $# -eq 0 ]; then
    for file in "$here"/Targets/*.swift; do targets+=("$(basename "$file" .swift)"); done
fi

# The tests' access to what is internal, for a build that is optimised: a fuzzer of a debug build tries a tenth as much.
"$swift" build -c release --scratch-path "$scratch" --sanitize address --sanitize fuzzer -Xswiftc -enable-testing \
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
summary=() broken=0
for target in "${targets[@]}"; do
    binary=$build/targets/$target
    [ -f "$here/Targets/$target.swift" ] || { echo "error: no $here/Targets/$target.swift"; exit 1; }
    if ! [ "$binary" -nt "$here/Targets/$target.swift" ] || [ -n "$(find "${objects[@]}" "$here/Support" -newer "$binary" -print -quit)" ]; then
        "${swift}c" -O -wmo -parse-as-library -swift-version 6 -module-name FuzzTarget \
            -sanitize=address,fuzzer -warnings-as-errors -use-ld=lld \
            -I "$build/Modules" -Xcc "-fmodule-map-file=$build/CHostLinux.build/module.modulemap" \
            -I Sources/CHostOpenSSL -I Sources/CHostSQLite \
            "$here"/Support/*.swift "$here/Targets/$target.swift" "${objects[@]}" \
            -lssl -lcrypto -lsqlite3 -o "$binary"
    fi

    kept=$here/corpus/$target
    found=$scratch/found/$target
    log=$scratch/$target.log
    mkdir -p "$kept" "$found"
    # Long enough for every limit that a target sets itself; what takes a second, or 512 MB, is a fault too.
    options=(-max_len=4096 -timeout=20 -rss_limit_mb=1024 -print_final_stats=1 "-artifact_prefix=$scratch/broken/$target-")
    [ -f "$here/dictionaries/$target.dict" ] && options+=("-dict=$here/dictionaries/$target.dict")
    if [ "$seconds" -eq 0 ]; then options+=(-runs=0); else options+=("-max_total_time=$seconds"); fi
    echo "== $target"
    if "$binary" "${options[@]}" "$found" "$kept" >"$log" 2>&1; then result=held; else result=BROKEN; broken=$((broken + 1)); fi
    if [ $result = BROKEN ]; then
        grep -a -v '^#[0-9]' "$log" | tail -40
    elif [ "${FUZZ_MERGE:-0}" = 1 ]; then
        "$binary" -merge=1 -max_len=4096 "$kept" "$found" >>"$log" 2>&1
    fi
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    covered=$(grep -a -o 'cov: [0-9]*' "$log" | tail -1)
    summary+=("$(printf '   %-16s %-6s %9s executions, %s edges, %s inputs kept' "$target" $result "${executed:-?}" "${covered#cov: }" "$(find "$kept" -type f | wc -l)")")
done

printf '== %d fuzzers, %s s each: %d broken\n' ${#targets[@]} "$seconds" $broken
printf '%s\n' "${summary[@]}"
[ $broken -eq 0 ] || { echo "   the inputs: $scratch/broken/"; exit 1; }
