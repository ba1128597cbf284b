#!/usr/bin/env bash
# Uses a folder whose name differs from a declared one only in its Unicode normal form, and names the group of a program there
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

composed=$home/$(printf 'caf\xc3\xa9')
decomposed=$home/$(printf 'cafe\xcc\x81')
start_daemon
user mkdir "$composed" "$decomposed"
control "the two names are two folders" equal "$(find "$home" -maxdepth 1 -name 'caf*' | wc -l)" 2
application "${composed#"$home"/}/keeper" >/dev/null
application "${decomposed#"$home"/}/keeper" >/dev/null
keeper=$composed/keeper
user "$security" app develop "$composed"
equal "$(user "$keeper" ask "$socket" add)" "add 0 " || die "the item cannot be stored"
control "the keeper may name its group" equal "$(user "$keeper" ask "$socket" find "dev:$keeper")" "find 0 s3cret of ada"
got=$(user "$decomposed/keeper" ask "$socket" find "dev:$keeper")
case $got in *s3cret*) succeeds "$got" ;; esac
equal "$got" "find -34018 " || die "it was refused for another reason: $got"
# The undeclared folder must not become declared, and the declared one must not lose its access.
cp "$ATTACK_PREFIX/bin/security" "$decomposed/tool"
chown "$ATTACK_USER" "$decomposed/tool"
shown=$(user "$decomposed/tool" status)
case $shown in *"dev:$decomposed"*) succeeds "the undeclared folder counts as declared" ;; esac
contains "$shown" "pinned:$decomposed/tool" || die "$shown"
expect_untouched
fails "$got"
