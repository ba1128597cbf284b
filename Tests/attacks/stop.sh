#!/usr/bin/env bash
# Stops securityd by a signal, so that no program gets an answer
# expected: succeeds: stop, starve or end the daemons by signals and limits
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
pid=$(daemon_pid)
user kill -STOP "$pid" || fails "the kernel refuses"
answer=$(user timeout 2 "$keeper" ask "$socket" find) || true
user kill -CONT "$pid"
case $answer in *s3cret*) fails "it still answers" ;; esac
expect_untouched
succeeds "no program gets an answer until securityd continues"
