#!/usr/bin/env bash
# Tries to make the daemons write core files
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Only root can raise an inherited limit of 0 for core files.
needs_root
ulimit -c unlimited
crash() {
    mkfifo "$ATTACK_FOLDER/go"
    # A core file goes to the working folder of its process, unless the system pipes it to a program.
    (cd "$home" && user "$tool" crash "$1" "${@:2}" <"$ATTACK_FOLDER/go" >"$ATTACK_FOLDER/end") &
    exec 9>"$ATTACK_FOLDER/go"
    rm "$ATTACK_FOLDER/go"
}
# Not in a subshell, which could not wait for the process.
end() {
    echo go >&9
    exec 9>&-
    wait
    got=$(cat "$ATTACK_FOLDER/end")
}
crash 11 /bin/sleep 60
end
control "an ordinary program leaves a core file" equal "$got" "signal 11, core yes"
# SIGQUIT, SIGABRT, SIGSEGV, SIGSYS: from a keyboard, the process itself, the processor, and the filter.
for signal in 3 6 11 31; do
    crash "$signal" "$daemon"
    keeper=$home/keeper
    await daemon_pid
    [ -e "$keeper" ] || application keeper >/dev/null
    user "$keeper" ask "$socket" add >/dev/null
    # These processes are not children of this script, which checks their limits instead.
    for pid in $(all_pids); do
        grep -Eq '^Max core file size +0 +0 ' "/proc/$pid/limits" || succeeds "process $pid may write core files"
    done
    kill -s "$signal" "$(custodian_pid)"
    end
    case $got in *"core yes"*) succeeds "securityd: $got" ;; esac
    control "securityd ended by the signal" equal "$got" "signal $signal, core no"
done
core=$(find "$ATTACK_FOLDER" -xdev -name 'core*' -newer "$keeper" -size +0)
[ -z "$core" ] || succeeds "$core"
fails "no signal leaves a core file, and every process has a limit of 0 for core files"
