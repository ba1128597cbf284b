# shellcheck shell=bash
# Functions for all attacks, which source this file. Tests/attacks-test.sh runs them with these variables:
#
#   ATTACK_PREFIX    the programs under attack and the tools, owned by root
#   ATTACK_FOLDER    the attack's own folder
#   ATTACK_USER      the owner of the household; if root runs this, another user
#   ATTACK_STRANGER  a third user; empty without root
#
# An attack ends with `fails` or `succeeds`. A `control` first proves that the attack works on an unprotected target: an
# attack that fails because its own tools fail is no test.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=Tools/common.sh
source "$root/Tools/common.sh"

readonly ATTACK_SUCCEEDED=10 ATTACK_FAILED=11 ATTACK_SKIPPED=12
home=$ATTACK_FOLDER/home
socket=$home/run/securityd.sock
tool=$ATTACK_PREFIX/bin/attack
security=$ATTACK_PREFIX/bin/security
daemon=$ATTACK_PREFIX/libexec/chatelaine/securityd
export root home socket tool security daemon

fails() { echo "fails: $*" && exit "$ATTACK_FAILED"; }
succeeds() { echo "succeeds: $*" && exit "$ATTACK_SUCCEEDED"; }
needs_root() { [ "$(id -u)" -eq 0 ] || { echo "needs root" && exit "$ATTACK_SKIPPED"; }; }

# await COMMAND…: repeats a command until it succeeds, up to a time limit that suffices on a busy machine.
await() {
    local attempt
    for attempt in {1..1200}; do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.05
    done
    echo "$* did not come true in $((attempt / 20)) s" && return 1
}

# control WHAT COMMAND…: checks a condition without which the attack proves nothing.
control() {
    local what=$1
    shift
    "$@" || die "control: $what: does not hold"
}
equal() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'" && return 1; }; }
contains() { case $1 in *"$2"*) ;; *) echo "'$1' does not contain '$2'" && return 1 ;; esac; }

# as UID COMMAND…: runs a command as that user, in an environment with only the variables of the household.
as() {
    local uid=$1
    shift
    set -- env -i HOME="$home" PATH="$PATH" CHATELAINE_HOME="$home" \
        CHATELAINE_LIBEXEC="$ATTACK_PREFIX/libexec/chatelaine" "$@"
    if [ "$uid" -ne "$(id -u)" ]; then set -- setpriv --reuid "$uid" --regid "$uid" --clear-groups -- "$@"; fi
    "$@"
}
user() { as "$ATTACK_USER" "$@"; }
stranger() { as "$ATTACK_STRANGER" "$@"; }

# application NAME [PROGRAM]: makes a program of the household's user, and prints its path.
application() {
    cp "${2-$tool}" "$home/$1"
    chown "$ATTACK_USER:$ATTACK_USER" "$home/$1"
    echo "$home/$1"
}

# Waits for the process of a program, and prints its id.
process_of() {
    await is_running "$1" && process "$1"
}
is_running() { [ -n "$(process "$1")" ]; }
# Prints the number of threads; listing them would fail for threads that end meanwhile.
threads_of() { sed -n 's/^Threads:[[:space:]]*//p' "/proc/$1/status"; }
is_silent() { ! daemon_pid; }

start_daemon() { user "$daemon" --background; }

# Has the keeper store and read ada's password.
keep_item() {
    start_daemon
    keeper=$(application keeper)
    equal "$(user "$keeper" ask "$socket" add)" "add 0 " || die "the item cannot be stored"
    equal "$(user "$keeper" ask "$socket" find)" "find 0 s3cret of ada" || die "the item cannot be read"
}

# make_team TEAM: makes a trusted team, whose signatures count from now on.
make_team() {
    user "$security" app identity create --team "$1" --common-name "Developers of $1" "$home/identities" >/dev/null
    user "$security" app team add "$home/identities/$1.pem" >/dev/null
}
# other_bytes NAME: makes a program of the household's user with the same function and unique bytes.
other_bytes() {
    application "$1" >/dev/null
    # The kernel ignores bytes after the program in its file.
    printf '%s' "$1" >>"$home/$1"
    echo "$home/$1"
}
# sign PROGRAM TEAM: signs a program as the team's program of its name.
sign() {
    user "$security" app sign "$1" --identity "$home/identities/$2-signer.pem" --identifier "$2.$(basename "$1")" >/dev/null
}
# keep_signed: has a signed program store an item of its team as well.
keep_signed() {
    make_team ABCDE12345
    editor=$(other_bytes editor)
    sign "$editor" ABCDE12345
    equal "$(user "$editor" ask "$socket" add)" "add 0 " || die "the signed program's item cannot be stored"
    equal "$(user "$editor" ask "$socket" find)" "find 0 s3cret of ada" || die "the signed program's item cannot be read"
}
expect_signed() { equal "$(user "$editor" ask "$socket" find)" "find 0 s3cret of ada"; }
trustd_pids() { pgrep -x trustd -u "$ATTACK_USER" || true; }

expect_untouched() {
    equal "$(user "$keeper" ask "$socket" find)" "find 0 s3cret of ada" || die "the item suffered"
}

children() { grep -lsE "^PPid:[[:space:]]+$1\$" /proc/[0-9]*/status | cut -d/ -f3 || true; }
daemon_pid() { user "$tool" peer "$socket"; }
# The children of securityd and theirs: the processes that check callers, and the custodian.
helper_pids() {
    local helper
    for helper in $(children "$(daemon_pid)"); do
        echo "$helper"
        children "$helper"
    done | grep -vx "$(custodian_pid)"
}
custodian_pid() {
    local helper pid
    for helper in $(children "$(daemon_pid)"); do
        for pid in $(children "$helper"); do
            if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = enclaved ]; then echo "$pid"; fi
        done
    done
}
# Prints the processes of both daemons and their helpers: six, or one more.
all_pids() {
    daemon_pid
    helper_pids
    custodian_pid
}

# process NAME: prints a process of the household's user, by the name of its program.
process() {
    local folder name
    for folder in /proc/[0-9]*; do
        read -r name 2>/dev/null <"$folder/comm" || continue
        if [ "$name" != "$1" ]; then continue; fi
        if [ "$(stat -c %u "$folder" 2>/dev/null)" = "$ATTACK_USER" ]; then echo "${folder#/proc/}" && return; fi
    done
}

# Stores an item of the command line's own.
tool_add() { printf '%s' "$1" | user "$security" item add -s mail -a ada --stdin; }
tool_update() { printf '%s' "$1" | user "$security" item update -s mail -a ada --stdin; }
tool_find() { user "$security" item find -s mail -a ada --secret; }

# forget_snapshots: deletes the snapshots of file keychains, which would undo the next edit. It first waits until the
# drafts of a lock are gone.
forget_snapshots() {
    await no_drafts || exit 1
    rm -rf "$home"/data/file-keychains/*.snapshots
}
no_drafts() { [ -z "$(find "$home/data/file-keychains" -name '*.part' -print -quit)" ]; }

# honest FILE SECONDS: reports the results of another program's calls in that time.
honest() { user "$keeper" calls "$socket" "$2" >"$ATTACK_FOLDER/$1"; }
p99() { sed 's/.* p99 //' "$ATTACK_FOLDER/$1"; }
# The speed is not checked, since a busy machine would fail (Tests/attacks-test.sh says how to measure it).
tell_calls() {
    echo "alone:  $(cat "$ATTACK_FOLDER/alone")"
    echo "beside: $(cat "$ATTACK_FOLDER/calls")"
    echo "p99 beside the flood: $(awk "BEGIN { printf \"%.1f\", $(p99 calls) / $(p99 alone) }") times that of before"
}
all_calls_succeeded() { grep -q ' failed 0 ' "$ATTACK_FOLDER/calls" || succeeds "calls of the other program failed: $(cat "$ATTACK_FOLDER/calls")"; }
resident() { grep "^$1" "/proc/$(daemon_pid)/status" | tr -dc 0-9; }

# probe JSON…: makes calls in a program that uses the library, and prints one answer a line.
probe() {
    local path=$home/probe
    [ -x "$path" ] || application probe "$ATTACK_PREFIX/bin/probe" >/dev/null
    printf '%s\n' "$@" | user "$path"
}
