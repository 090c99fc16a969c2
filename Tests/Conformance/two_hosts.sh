#!/usr/bin/env bash
# Two servers on copies of one root, the copies with other times and inodes: their headers are the same but for Date, so
# that a cache in front sees one origin, and a download begun at one resumes at the other.
#
#   Tests/Conformance/two_hosts.sh [SERVER-BINARY]
[ $# -eq 0 ] || export AIMODEL_HOST=$1
. "$(dirname "$0")/../Support/host.sh"

need curl python3

mkdir -p "$scratch/release/Twin.aimodel/nested folder" "$scratch/release/tokenizer"
head -c 300000 /dev/urandom >"$scratch/release/Twin.aimodel/main.mlirb"
echo '{"assetVersion":"2.0"}' >"$scratch/release/Twin.aimodel/metadata.json"
echo odd >"$scratch/release/Twin.aimodel/nested folder/a+b%c.bin"
: >"$scratch/release/Twin.aimodel/empty.bin"
echo '{}' >"$scratch/release/tokenizer/tokenizer.json"
stage "$scratch/release" "$scratch/first" Twin 1.0.0 --created-at 2026-01-02T03:04:05Z >/dev/null
cp -r "$scratch/first" "$scratch/second"
find "$scratch/second" -exec touch -h -d '2001-02-03 04:05:06 UTC' {} +

start_host "$scratch/first"
first_url=$host_url
start_host "$scratch/second"
second_url=$host_url

# heads URL [CURL-OPTION...]: status line and fields, sorted, without Date.
heads() {
    local url=$1
    shift
    curl -sS --path-as-is -D - -o "$scratch/body" "$@" "$url" | tr -d '\r' | grep -v -i '^date:' | sort
}

# same STATUS PATH [CURL-OPTION...]
same() {
    local status=$1 path=$2
    shift 2
    heads "$first_url$path" "$@" >"$scratch/first.heads"
    cp "$scratch/body" "$scratch/first.body"
    heads "$second_url$path" "$@" >"$scratch/second.heads"
    check "$path $*: status" "$status" "$(sed -n 's/^HTTP\/1.1 \([0-9]*\).*/\1/p' "$scratch/first.heads")"
    check "$path $*: headers" "$(cat "$scratch/first.heads")" "$(cat "$scratch/second.heads")"
    # Of HEAD curl writes the head where the body would be, Date included, and that has been compared.
    case " $* " in *" -I "*) return ;; esac
    check_that "$path $*: body" cmp -s "$scratch/first.body" "$scratch/body"
}

version=/models/Twin/1.0.0
main=$version/Twin.aimodel/main.mlirb
tag() { curl -sSI "$1" | tr -d '\r' | sed -n 's/^etag: //Ip'; }

for path in "$main" "$version/Twin.aimodel/nested%20folder/a%2Bb%25c.bin" "$version/Twin.aimodel/empty.bin" \
    "$version/tokenizer/tokenizer.json" "$version/manifest.json"; do
    same 200 "$path"
    same 200 "$path" -I
    etag=$(tag "$first_url$path")
    check_that "$path has a strong entity tag" grep -qE '^"[^"]+"$' <<<"$etag"
    same 304 "$path" -H "If-None-Match: $etag"
    same 412 "$path" -H 'If-Match: "another"'
done
same 206 "$main" -r 1000-1999
same 206 "$main" -r -1
same 416 "$main" -r 300000-
same 304 "$main" -H 'If-Modified-Since: Fri, 02 Jan 2026 03:04:05 GMT'
same 200 "$main" -H 'If-Modified-Since: Fri, 02 Jan 2026 03:04:04 GMT'
same 404 "$version/Twin.aimodel/none.bin"
same 404 "$version/Twin.h18p.aimodelc/main.hash"

check "Last-Modified is the manifest's, not the inode's" "Fri, 02 Jan 2026 03:04:05 GMT" \
    "$(curl -sSI "$second_url$main" | tr -d '\r' | sed -n 's/^last-modified: //Ip')"

# Half from the one, the rest from the other.
curl -sS -r 0-149999 -o "$scratch/joined" "$first_url$main"
status=$(curl -sS -r 150000- -H "If-Range: $(tag "$first_url$main")" -o "$scratch/rest" -w '%{http_code}' \
    "$second_url$main")
check "resuming at the other host" 206 "$status"
cat "$scratch/rest" >>"$scratch/joined"
check "SHA-256 of the two halves" "$(sha256 "$scratch/release/Twin.aimodel/main.mlirb")" "$(sha256 "$scratch/joined")"

summary
