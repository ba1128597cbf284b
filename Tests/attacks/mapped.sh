#!/usr/bin/env bash
# Changes a known program through an earlier mapping, which leaves the times of its file unchanged
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

application keeper >/dev/null
# The kernel ignores bytes after the program in its file, but they change the digest, so it is another program.
head -c 4096 /dev/zero >>"$home/keeper"
start_daemon
keeper=$home/keeper
equal "$(user "$keeper" ask "$socket" add)" "add 0 " || die "the item cannot be stored"
mapper=$(application mapper)
mkfifo "$home/go"
user "$mapper" mapped "$keeper" <>"$home/go" >"$home/mapped" &
await grep -q dirty "$home/mapped"
while ! grep -qE 'changed|stamped' "$home/mapped"; do
    # The daemon records the program before the change.
    user "$security" app list >/dev/null
    echo go >"$home/go"
    sleep 0.1
done
wait
control "the file changed, and its times did not" grep -q changed "$home/mapped"
got=$(user "$keeper" ask "$socket" find)
case $got in *s3cret*) succeeds "$got" ;; esac
equal "$got" "find -25293 " || die "it was refused for another reason"
fails "$got"
