#!/usr/bin/env bash
# Has the kernel show a trusted program as the executable of the attacker (PR_SET_MM_MAP)
# expected: succeeds: have the kernel show any other executable as its own (`PR_SET_MM_MAP` from a user namespace)
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
control "the attacker without a disguise gets nothing" equal "$(user "$evil" ask "$socket" find)" "find -25300 "
got=$(user "$evil" disguise "$keeper" "$socket" 2>&1) || true
contains "$got" "shown as $keeper" || fails "this kernel does not allow it: $got"
contains "$got" "find 0 s3cret of ada" || fails "the daemon is not deceived: $got"
succeeds "$got"
