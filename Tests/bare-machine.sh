#!/usr/bin/env bash
# Runs `make run` and `make test`, as a new user does, on a machine with only Debian's essential packages, git, make and
# Swift.
#
#   Tests/bare-machine.sh           half an hour and more
#   Tests/bare-machine.sh COMMAND…  runs only another command there, such as `bash`
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
# shellcheck source=Tests/clean-system.sh
source "$(dirname "${BASH_SOURCE[0]}")/clean-system.sh"

obstacle=$(bare_machine_obstacle)
[ -z "$obstacle" ] || die "there can be no bare machine here: $obstacle"
mkdir -p "$root/.build"
folder=$(mktemp -d "$root/.build/bare-machine.XXXXXX")
trap 'rm -rf "$folder"' EXIT
say "A bare machine"
make_bare_machine "$folder/system"
there() { "$root/Tests/in-clean-system.sh" "$folder/system" bash -c "cd $sources_there && \"\$@\"" - "$@"; }
if [ $# -gt 0 ]; then
    there "$@"
    exit
fi
say "make run"
there make run
say "make test"
# A skipped test lacks something that setup should have installed.
CI=true there make test
