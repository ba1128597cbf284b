#!/usr/bin/env bash
# Stops enclaved and trustd at the moment of their execution, before they have confined themselves, and traces them
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# If the user owns the programs, the kernel lets that user trace their processes.
needs_root
evil=$(other_bytes evil)
number=0
# helper NAME: prints securityd's child of that name.
helper() {
    local pid
    for pid in $(children "$(daemon_pid)"); do
        if [ "$(cat "/proc/$pid/comm")" = "$1" ]; then echo "$pid" && return; fi
    done
}
parent_of() { sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status"; }
# caught PARENT NAME COMMAND…: stops the process that the command starts. `pid` is then its id, and `got` lists what another
# process can do with it. `late` is set if the process was ended before everything was tried: on a busy machine it may be
# ended because it did not answer in time.
caught() {
    local parent=$1 name=$2
    shift 2
    rm -f "$ATTACK_FOLDER/caught"
    user "$tool" catch "$parent" "$name" >"$ATTACK_FOLDER/caught" &
    local catching=$!
    await grep -qs begun "$ATTACK_FOLDER/caught"
    "$@" >"$ATTACK_FOLDER/answer" 2>&1 &
    asking=$!
    wait "$catching"
    pid=$(sed -n 2p "$ATTACK_FOLDER/caught")
    got=
    [ -n "$pid" ] || late=yes
    for way in trace look copy; do got+=$(user "$tool" reach "$way" "$pid" 2>/dev/null | tr '\n' ' ') || late=yes; done
    user kill -CONT "$pid" 2>/dev/null || true
    wait "$asking" || true
}
catch_both() {
    late=
    # A running trustd would be used again, so it could never be caught at its start. The one for the next question is
    # started behind an answer, on a busy machine well after it.
    local pids
    for _ in {1..20}; do
        sleep 0.1
        pids=$(trustd_pids)
        [ -n "$pids" ] || break
        for pid in $pids; do user kill -KILL "$pid" 2>/dev/null || true; done
    done
    # A signature that trustd has not checked yet.
    user sh -c "printf %d $((number += 1)) >'$evil.codesig'"
    caught "$(helper securityd-trust)" trustd user "$evil" ask "$socket" find
    equal "$(cat "$ATTACK_FOLDER/answer")" "find -34018 " || die "the request has another result: $(cat "$ATTACK_FOLDER/answer")"
    echo "trustd: $got" && of_trustd=$got
    local custodian parent
    custodian=$(custodian_pid)
    parent=$(parent_of "$custodian")
    user kill -KILL "$custodian"
    caught "$parent" enclaved tool_find
    echo "enclaved: $got" && of_enclaved=$got
}

readable=$ATTACK_FOLDER/readable/libexec/chatelaine
mkdir -p "$readable"
cp "$ATTACK_PREFIX"/libexec/chatelaine/* "$readable"
chmod 755 "$ATTACK_FOLDER/readable" "$readable"/*
user CHATELAINE_LIBEXEC="$readable" "$readable/securityd" --background
tool_add s3cret >/dev/null
# On a busy machine an attempt may come too late.
traced=
for attempt in {1..60}; do
    catch_both
    case $of_trustd in *attached*) traced+=trustd ;; esac
    case $of_enclaved in *attached*) traced+=enclaved ;; esac
    case $traced in *trustd*enclaved* | *enclaved*trustd*) break ;; esac
done
stop_daemons "$ATTACK_FOLDER/readable"
control "programs that everybody can read can be traced ($attempt)" eval "[[ '$traced' == *trustd* && '$traced' == *enclaved* ]]"

start_daemon
control "the item is there" equal "$(tool_find)" s3cret
held=0
for attempt in {1..20}; do
    catch_both
    [ -z "$of_trustd" ] || succeeds "trustd: $of_trustd"
    [ -z "$of_enclaved" ] || succeeds "enclaved: $of_enclaved"
    [ -n "$late" ] || held=$((held + 1))
    [ "$held" -lt 5 ] || break
done
[ "$held" -gt 0 ] || die "nothing could be tried"
equal "$(tool_find)" s3cret || die "the item suffered"
fails "nothing of both processes can be read at any time"
