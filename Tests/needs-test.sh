#!/usr/bin/env bash
# Compares Tools/needs.tsv, the list of what setup installs, with the programs that scripts and tests call.
#
# `make test` runs with Tools/closed-path.sh, which covers all programs that tests call by name. This test covers the
# rest:
# scripts that no test runs, programs called by path, and unneeded lines of the list.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
cd "$root"

say "In the closed path there is what is listed, and nothing else"
# Tests the path in processes of a shell, and through a program that has the whole path.
listed=$(Tools/closed-path.sh bash -c 'type -P grep') || die "grep is listed, and not there"
[ "$listed" != "$(type -P grep)" ] || [ "$PATH" = "${listed%/*}" ] || die "the closed path is not closed: $listed"
if Tools/closed-path.sh bash -c 'type -P perl'; then die "perl is not listed, and there"; fi
Tools/closed-path.sh git --version >/dev/null || die "a suite does not find its programs"

say "The list, beside what scripts and tests call"
if ! command -v shfmt >/dev/null; then
    echo "SKIPPED: optional: shfmt is not here, which reads shell scripts"
    exit 0
fi
python3 Tests/needs/compare.py
