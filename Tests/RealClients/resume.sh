#!/usr/bin/env bash
# curl, wget and aria2c download a file over connections that break, and end with the right bytes because they resume.
# Each is also seen to download the whole file over a connection that does not break.
#
#   Tests/RealClients/resume.sh [SERVER-BINARY]
[ $# -eq 0 ] || export AIMODEL_HOST=$1
. "$(dirname "$0")/../Support/host.sh"

need python3
clients=()
for client in curl wget aria2c; do
    if command -v "$client" >/dev/null; then clients+=("$client"); else echo "skipped: no $client here"; fi
done
[ ${#clients[@]} -gt 0 ] || skip "none of curl, wget, aria2c is here"

file_size=$((12 << 20))
cut_after=$((1500 << 10))
cut_connections=4

# The weights are noise without a period, so that no shift of the bytes goes unseen.
mkdir -p "$scratch/release/Resume.aimodel"
head -c "$file_size" /dev/urandom >"$scratch/release/Resume.aimodel/main.mlirb"
stage "$scratch/release" "$scratch/root" Resume 1.0.0 >/dev/null
expected=$(sha256 "$scratch/release/Resume.aimodel/main.mlirb")
path=/models/Resume/1.0.0/Resume.aimodel/main.mlirb
start_host "$scratch/root"

# start_proxy NAME: cuts the first connections; sets proxy_url and proxy_log.
start_proxy() {
    proxy_log=$scratch/$1.log
    : >"$proxy_log" >"$scratch/$1.port"
    python3 "$here/Tests/Support/cutting_proxy.py" "${host_url#http://}" \
        --cut-after "$cut_after" --connections "$cut_connections" --log "$proxy_log" >"$scratch/$1.port" &
    pids+=($!)
    local _
    for _ in $(seq 200); do
        [ ! -s "$scratch/$1.port" ] || break
        sleep 0.05
    done
    [ -s "$scratch/$1.port" ] || die "the proxy did not come up"
    proxy_url=http://127.0.0.1:$(cat "$scratch/$1.port")
}

logged() { grep -c -E "$1" "$proxy_log" || true; }

# whole CLIENT TARGET URL, resumed CLIENT TARGET URL: what a user would type.
whole() {
    case $1 in
    curl) curl -fsS -o "$2" "$3" ;;
    wget) wget -q -O "$2" "$3" ;;
    aria2c) aria2c -q --no-conf -d "$(dirname "$2")" -o "$(basename "$2")" "$3" ;;
    esac
}

resumed() {
    local _
    case $1 in
    curl)
        # curl's own --retry starts again from where -C pointed at first, so the loop is outside.
        for _ in $(seq $((cut_connections + 2))); do
            if curl -fsS -C - -o "$2" "$3" 2>/dev/null; then return 0; fi
        done
        return 1
        ;;
    wget) wget -q -c --tries=20 --waitretry=0 -O "$2" "$3" ;;
    aria2c)
        aria2c -q --no-conf -x8 -s8 -k1M --max-tries=20 --retry-wait=0 -d "$(dirname "$2")" -o "$(basename "$2")" "$3"
        ;;
    esac
}

for client in "${clients[@]}"; do
    check_that "$client downloads the whole file" whole "$client" "$scratch/$client.whole" "$host_url$path"
    check "$client: SHA-256 of the whole download" "$expected" "$(sha256 "$scratch/$client.whole")"

    start_proxy "$client"
    check_that "$client finishes over broken connections" resumed "$client" "$scratch/$client.part" "$proxy_url$path"
    check "$client: SHA-256 after resuming" "$expected" "$(sha256 "$scratch/$client.part")"
    check "$client: connections cut" "$cut_connections" "$(logged '^cut ')"
    check "$client: answers that are neither 200 nor 206" 0 "$(logged '^answer (1|20[^06]|2[^0]|3|4|5)')"
    # Only the first request has nothing to resume from; every later one names where it goes on.
    check "$client: requests without a range" 1 "$(logged '^request GET [^ ]+ -$')"
    check "$client: answers with the whole file" 1 "$(logged '^answer 200 ')"
    check_that "$client: every cut was followed by a 206" [ "$(logged '^answer 206 bytes ')" -ge "$cut_connections" ]
    printf '%s: %d cuts, %d times 206\n' "$client" "$(logged '^cut ')" "$(logged '^answer 206 ')"
done

# A file that is complete: 416 tells how long it is, and what is there stays as it is.
if command -v curl >/dev/null; then
    status=$(curl -sS -C - -o "$scratch/curl.whole" -D "$scratch/head" -w '%{http_code}' "$host_url$path" || true)
    check "resuming a complete file" 416 "$status"
    check "its length in the answer" "bytes */$file_size" \
        "$(tr -d '\r' <"$scratch/head" | sed -n 's/^[Cc]ontent-[Rr]ange: //p')"
    check "SHA-256 of the complete file afterwards" "$expected" "$(sha256 "$scratch/curl.whole")"
fi

summary
