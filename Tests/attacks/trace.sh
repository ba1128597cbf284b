#!/usr/bin/env bash
# Attaches a debugger to each process of the daemons
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
user sleep 60 &
ordinary=$(process_of sleep)
control "an ordinary process can be traced" \
    equal "$(user "$tool" reach trace "$ordinary" | tr '\n' ' ')" "attached seized "
for pid in $(all_pids); do
    got=$(user "$tool" reach trace "$pid")
    [ -z "$got" ] || succeeds "process $pid: $got"
done
expect_untouched
fails "ptrace(2) is refused for $(all_pids | wc -l) processes"
