#!/usr/bin/env bash
# Runs `security` to read items that the user stored with it
# expected: succeeds: run `security` and read what that may read
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start_daemon
tool_add "s3cret of ada"
evil=$(application evil)
control "the attacker itself gets nothing" equal "$(user "$evil" ask "$socket" find)" "find -25300 "
got=$(tool_find 2>&1) || fails "$got"
contains "$got" "s3cret of ada" || fails "$got"
succeeds "$got"
