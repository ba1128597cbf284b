#!/usr/bin/env bash
# Reads and writes memory, descriptors, environment and limits of each process of the daemons
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
user sleep 60 &
ordinary=$(process_of sleep)
control "memory of an ordinary process can be read" contains "$(user "$tool" reach copy "$ordinary")" "memory read"
control "its descriptors can be taken" contains "$(user "$tool" reach copy "$ordinary")" "descriptor 1"
control "its memory can be written to" contains "$(user "$tool" reach look "$ordinary")" "mem, to write"
control "its environment can be read" contains "$(user "$tool" reach look "$ordinary")" "environ"
for pid in $(all_pids); do
    got=$(user "$tool" reach look "$pid" && user "$tool" reach copy "$pid")
    [ -z "$got" ] || succeeds "process $pid: $got"
done
fails "nothing of $(all_pids | wc -l) processes can be read or changed"
