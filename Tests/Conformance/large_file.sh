#!/usr/bin/env bash
# Files beyond 32 bits: one of 5 GiB (length, SHA-256, ranges across 2 GiB and 4 GiB) and one of 8 TiB (exact digits at
# the end). Both are sparse; a file system that cannot hold one says so and that part is left out.
#
#   Tests/Conformance/large_file.sh [SERVER-BINARY]
[ $# -eq 0 ] || export AIMODEL_HOST=$1
. "$(dirname "$0")/../Support/host.sh"

need curl python3

release=$scratch/release
gib=$((1 << 30))
big=$((5 * gib))
huge=$((8 << 40))
mkdir -p "$release/Large.aimodel"
echo '{"assetVersion":"2.0"}' >"$release/Large.aimodel/metadata.json"

# mark FILE OFFSET: writes the offset's own digits there, so that a byte from elsewhere is seen.
mark() { printf '%020d' "$2" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

truncate -s "$big" "$release/big.bin" || skip "this file system holds no file of 5 GiB"
for ((at = 0; at < big; at += gib / 4)); do
    mark "$release/big.bin" "$at"
    mark "$release/big.bin" $((at + gib / 4 - 20))
done

trusted=()
if truncate -s "$huge" "$release/huge.bin" 2>/dev/null; then
    for at in 0 $((4 * gib - 10)) $((huge / 2 - 10)) $((huge - 20)); do mark "$release/huge.bin" "$at"; done
    # Nothing reads 8 TiB to serve them; its digest only has to be well formed.
    trusted=(--trust-digest "huge.bin=$(printf 'f%.0s' {1..64})")
else
    rm -f "$release/huge.bin"
    echo "left out: this file system holds no file of 8 TiB"
fi

stage "$release" "$scratch/root" Large 1.0.0 "${trusted[@]}" >/dev/null
rm -rf "$release"
published=$scratch/root/Public/models/Large/1.0.0
start_host "$scratch/root"
base=$host_url/models/Large/1.0.0

# header URL NAME [CURL-OPTION...]: the value of one field of an answer.
header() {
    local url=$1 name=$2
    shift 2
    curl -sS --max-time 300 -D - -o /dev/null "$@" "$url" | tr -d '\r' | sed -n "s/^$name: //Ip"
}

# part FILE OFFSET LENGTH: the bytes as they are on disk.
part() { tail -c +$(($2 + 1)) "$1" 2>/dev/null | head -c "$3" || true; }

# range FILE SIZE FIRST LAST [RANGE]: the answer to a range is exactly those bytes.
range() {
    local file=$1 size=$2 first=$3 last=$4 asked=${5:-$3-$4}
    local status
    status=$(curl -sS --max-time 300 -r "$asked" -D "$scratch/head" -o "$scratch/body" -w '%{http_code}' "$base/$file")
    check "$file $asked: status" 206 "$status"
    check "$file $asked: Content-Range" "bytes $first-$last/$size" \
        "$(tr -d '\r' <"$scratch/head" | sed -n 's/^content-range: //Ip')"
    check "$file $asked: length" $((last - first + 1)) "$(stat -c %s "$scratch/body")"
    part "$published/$file" "$first" $((last - first + 1)) >"$scratch/expected"
    check_that "$file $asked: bytes" cmp -s "$scratch/expected" "$scratch/body"
}

# beyond FILE SIZE: a range that begins at the end.
beyond() {
    check "$1 $2-: status" 416 "$(curl -sS --max-time 300 -r "$2-" -o /dev/null -w '%{http_code}' "$base/$1")"
    check "$1 $2-: Content-Range" "bytes */$2" "$(header "$base/$1" content-range -r "$2-")"
}

check "big.bin: length by HEAD" "$big" "$(header "$base/big.bin" content-length -I)"
check "big.bin: length by GET of one byte" "bytes 0-0/$big" "$(header "$base/big.bin" content-range -r 0-0)"
expected=$(python3 -c '
import json, sys
manifest = json.load(open(sys.argv[1]))
print(next(file["digest"] for file in manifest["companions"] if file["path"] == "big.bin").removeprefix("sha256:"))
' "$scratch/root/manifests/Large/1.0.0.json")
check "big.bin: SHA-256 of the whole download" "$expected" "$(curl -sS --max-time 300 "$base/big.bin" | sha256)"

two=$((2 * gib))
four=$((4 * gib))
range big.bin "$big" $((two - 1)) $((two - 1))
range big.bin "$big" $((two - 20)) $((two + 19))
range big.bin "$big" "$two" $((two + 19))
range big.bin "$big" $((four - 20)) $((four + 19))
range big.bin "$big" $((four - 1)) "$four"
range big.bin "$big" "$four" $((four + 19))
range big.bin "$big" $((two - 1048576)) $((two + 1048575))
range big.bin "$big" $((four - 1048576)) $((four + 1048575))
range big.bin "$big" $((big - 20)) $((big - 1)) -20
range big.bin "$big" $((big - 100)) $((big - 1)) "$((big - 100))-"
range big.bin "$big" $((big - 100)) $((big - 1)) "$((big - 100))-$((big + 100))"
beyond big.bin "$big"

if [ -e "$published/huge.bin" ]; then
    check "huge.bin: length by HEAD" 8796093022208 "$(header "$base/huge.bin" content-length -I)"
    range huge.bin "$huge" $((huge - 7)) $((huge - 1)) -7
    check "huge.bin: its last digits" 3022188 "$(cat "$scratch/body")"
    range huge.bin "$huge" $((huge - 1)) $((huge - 1)) "$((huge - 1))-"
    range huge.bin "$huge" $((huge / 2 - 10)) $((huge / 2 + 9))
    range huge.bin "$huge" $((four - 10)) $((four + 9))
    range huge.bin "$huge" $((huge - 20)) $((huge - 1)) "$((huge - 20))-18446744073709551616"
    beyond huge.bin "$huge"
fi

summary
