# shellcheck shell=bash
# What the attacks share; each sources it. Tests/attacks-test.sh runs them and says in the environment where they are:
#
#   ATTACK_PREFIX    the programs under attack and the tools, owned by root
#   ATTACK_FOLDER    a folder of this attack's own
#   ATTACK_USER      whose household it is; another user than ours where root runs this
#   ATTACK_STRANGER  another user, empty where only root could be one
#
# An attack ends with `fails` or `succeeds`. It first shows by a `control` that the same thing works on something that is not
# protected: an attack that fails because its own tools do is no test.

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

# await COMMAND…: until it succeeds; however busy the machine is, nothing waits longer than this.
await() {
    local attempt
    for attempt in {1..1200}; do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.05
    done
    echo "$* did not come true in $((attempt / 20)) s" && return 1
}

# control WHAT COMMAND…: what has to be so for the attack to mean anything.
control() {
    local what=$1
    shift
    "$@" || die "control: $what: does not hold"
}
equal() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'" && return 1; }; }
contains() { case $1 in *"$2"*) ;; *) echo "'$1' does not contain '$2'" && return 1 ;; esac; }

# as UID COMMAND…: as that user, in an environment that holds what the household needs and nothing else.
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

# application NAME [PROGRAM]: a program of the household's user; its path.
application() {
    cp "${2-$tool}" "$home/$1"
    chown "$ATTACK_USER:$ATTACK_USER" "$home/$1"
    echo "$home/$1"
}

# The process of that program, once it is there.
process_of() {
    await is_running "$1" && process "$1"
}
is_running() { [ -n "$(process "$1")" ]; }
# How many there are; listing them would stumble over those that end meanwhile.
threads_of() { sed -n 's/^Threads:[[:space:]]*//p' "/proc/$1/status"; }
is_silent() { ! daemon_pid; }

start_daemon() { user "$daemon" --background; }

# The keeper has stored ada's password, and can read it.
keep_item() {
    start_daemon
    keeper=$(application keeper)
    equal "$(user "$keeper" ask "$socket" add)" "add 0 " || die "the item cannot be stored"
    equal "$(user "$keeper" ask "$socket" find)" "find 0 s3cret of ada" || die "the item cannot be read"
}

# make_team TEAM: signatures of that team count from now on.
make_team() {
    user "$security" app identity create --team "$1" --common-name "Developers of $1" "$home/identities" >/dev/null
    user "$security" app team add "$home/identities/$1.pem" >/dev/null
}
# other_bytes NAME: a program of the household's user that does the same, and is another file than all others.
other_bytes() {
    application "$1" >/dev/null
    # What follows the program in its file is not looked at by the kernel.
    printf '%s' "$1" >>"$home/$1"
    echo "$home/$1"
}
# sign PROGRAM TEAM: it is the team's program of that name.
sign() {
    user "$security" app sign "$1" --identity "$home/identities/$2-signer.pem" --identifier "$2.$(basename "$1")" >/dev/null
}
# keep_signed: a signed program has an item of that team, too.
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
# securityd's own children, and theirs: those that look at callers, and the custodian.
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
# Both daemons and their helpers: six processes, or one more.
all_pids() {
    daemon_pid
    helper_pids
    custodian_pid
}

# process NAME: one of the household's user, by the name of its program.
process() {
    local folder
    for folder in /proc/[0-9]*; do
        if [ "$(stat -c %u "$folder" 2>/dev/null)" != "$ATTACK_USER" ]; then continue; fi
        if [ "$(cat "$folder/comm" 2>/dev/null)" = "$1" ]; then echo "${folder#/proc/}" && return; fi
    done
}

# The command line's own item.
tool_add() { printf '%s' "$1" | user "$security" item add -s mail -a ada --stdin; }
tool_update() { printf '%s' "$1" | user "$security" item update -s mail -a ada --stdin; }
tool_find() { user "$security" item find -s mail -a ada --secret; }

# forget_snapshots: those of file keychains, which would give back what is edited next; what a lock has ended is cleared away first.
forget_snapshots() {
    await no_drafts || exit 1
    rm -rf "$home"/data/file-keychains/*.snapshots
}
no_drafts() { [ -z "$(find "$home/data/file-keychains" -name '*.part' -print -quit)" ]; }

# honest FILE SECONDS: what became of the calls of another program in that time.
honest() { user "$keeper" calls "$socket" "$2" >"$ATTACK_FOLDER/$1"; }
p99() { sed 's/.* p99 //' "$ATTACK_FOLDER/$1"; }
# Not judged here: a machine that has other things to do as well would fail it (Tests/attacks-test.sh says how to measure).
tell_calls() {
    echo "alone:  $(cat "$ATTACK_FOLDER/alone")"
    echo "beside: $(cat "$ATTACK_FOLDER/calls")"
    echo "p99 beside the flood: $(awk "BEGIN { printf \"%.1f\", $(p99 calls) / $(p99 alone) }") times that of before"
}
all_calls_succeeded() { grep -q ' failed 0 ' "$ATTACK_FOLDER/calls" || succeeds "calls of the other program failed: $(cat "$ATTACK_FOLDER/calls")"; }
resident() { grep "^$1" "/proc/$(daemon_pid)/status" | tr -dc 0-9; }

# probe JSON…: calls of a program that uses the library; one answer a line.
probe() {
    local path=$home/probe
    [ -x "$path" ] || application probe "$ATTACK_PREFIX/bin/probe" >/dev/null
    printf '%s\n' "$@" | user "$path"
}
