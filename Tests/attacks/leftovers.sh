#!/usr/bin/env bash
# Searches the memory of the daemons, as root, for secrets and for the device key after use
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
keep_item
for round in 1 2 3 4 5; do
    probe "{\"call\":\"add\",\"query\":{\"class\":\"genp\",\"acct\":\"a$round\",\"v_Data\":{\"data\":\"$(printf 's3cret of %s' "$round" | base64)\"}}}" \
        "{\"call\":\"find\",\"query\":{\"class\":\"genp\",\"acct\":\"a$round\",\"r_Data\":true}}" \
        "{\"call\":\"delete\",\"query\":{\"class\":\"genp\",\"acct\":\"a$round\"}}" >"$ATTACK_FOLDER/answers"
    control "calls succeed" equal "$(grep -c '"status":0' "$ATTACK_FOLDER/answers")" 3
    expect_untouched
done
# In its file (keybag.md) the device key follows the bytes 0x02 0x58 0x20, and has 32 bytes.
key=$(od -An -tx1 -v "$home/state/enclave/uid.key" | tr -d ' \n' | grep -oE '025820[0-9a-f]{64}' | tail -c 65)
control "the device key is found in its file" equal "${#key}" 64
# A keeper holds its secret, which proves that the search works.
user "$keeper" calls "$socket" 60 >/dev/null &
holder=$(process_of keeper)
is_there() { "$tool" scan "$holder" "s3cret of ada" | grep "1 at"; }
control "a secret is found in the keeper" await is_there
kill "$holder"
wait || true
for pid in $(all_pids); do
    got=$("$tool" scan "$pid" "s3cret of")
    [ -z "$got" ] || succeeds "a secret in process $pid: $got"
done
for pid in $(daemon_pid) $(helper_pids); do
    got=$("$tool" scan "$pid" "0x$key")
    [ -z "$got" ] || succeeds "the device key in process $pid: $got"
done
# enclaved has the device key only in pages that are locked and left out of core files.
custodian=$(custodian_pid)
control "enclaved holds the key" contains "$("$tool" scan "$custodian" "0x$key")" "1 at"
"$tool" scan "$custodian" "0x$key" | while read -r _ _ place name; do
    flags=$(sed -n "/^0*$place-/,/^VmFlags/p" "/proc/$custodian/smaps" | sed -n 's/^VmFlags://p')
    case "$flags " in *" lo "*" dd "*) ;; *) echo "$place $name $flags" ;; esac
done >"$ATTACK_FOLDER/loose"
[ ! -s "$ATTACK_FOLDER/loose" ] || succeeds "the device key in memory that is not locked: $(cat "$ATTACK_FOLDER/loose")"
# When securityd ends, enclaved and its memory must end, too. A new enclaved knows nothing of earlier requests.
kill -TERM "$(daemon_pid)"
is_gone() { [ ! -e "/proc/$custodian" ]; }
await is_gone || succeeds "enclaved outlives securityd, and holds its keys"
fails "no secret is found, and the key is in locked memory only"
