#!/usr/bin/env bash
# Publishing 2 GiB of distinct octets, beside `cp` followed by `sha256sum` on the same files, in turn, with the source in
# the page cache. Publishing does more: two digests of each octet, and all is on the disk when it ends.
#
#   Benchmarks/publish_throughput.sh [MIBYTES [ROUNDS]]
#
# The median of the ratios must not pass 1.3. Needs three times the size of free disk below $TMPDIR.
. "$(dirname "$0")/../Tests/Support/host.sh"
need sha256sum python3
mibytes=${1:-2048} rounds=${2:-3} limit=1.3
host=$(find_host)

# Two assets, as a release of two architectures has, each with a program that main.hash speaks true of.
release=$scratch/release
for base in First Second; do
    asset=$release/$base.aimodel
    mkdir -p "$asset"
    { printf 'ML\xefR' && head -c $((mibytes / 2 * 1048576 - 4)) /dev/urandom; } >"$asset/main.mlirb"
    printf '%s' '{"assetVersion":"2.0"}' >"$asset/metadata.json"
    python3 -c 'import hashlib, sys; sys.stdout.buffer.write(hashlib.file_digest(open(sys.argv[1], "rb"), "sha256").digest())' \
        "$asset/main.mlirb" >"$asset/main.hash"
done

# seconds COMMAND...: what the command takes, with nothing else waiting for the disk.
seconds() {
    sync
    cat "$release"/*/* >/dev/null
    local start=$EPOCHREALTIME
    "$@" >/dev/null
    local end=$EPOCHREALTIME
    awk "BEGIN { printf \"%.2f\", $end - $start }"
}

copy_and_hash() {
    cp -r "$release" "$scratch/copy"
    sha256sum "$release"/*/*
}

publish() {
    "$host" publish "$release" --root "$scratch/store" --model Bench --version 1.0.0
}

ratios=()
for round in $(seq "$rounds"); do
    plain=$(seconds copy_and_hash)
    rm -rf "$scratch/copy"
    mkdir "$scratch/store"
    own=$(seconds publish)
    # Folders are read-only once published.
    chmod -R u+w "$scratch/store"
    rm -rf "$scratch/store"
    ratio=$(awk "BEGIN { printf \"%.2f\", $own / $plain }")
    printf 'round %d: cp and sha256sum %s s, publish %s s, ratio %s\n' "$round" "$plain" "$own" "$ratio"
    ratios+=("$ratio")
done
median=$(printf '%s\n' "${ratios[@]}" | sort -n | sed -n "$(((rounds + 1) / 2))p")
check_that "publishing takes at most $limit times as long (median $median)" awk "BEGIN { exit !($median <= $limit) }"
summary
