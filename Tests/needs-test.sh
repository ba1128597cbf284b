#!/usr/bin/env bash
# Compares Tools/needs.tsv, from which set-up knows what to bring, with what scripts and tests call.
#
# What is called by its name while tests run, however, is seen to by Tools/closed-path.sh, in which `make test` runs: there is nothing
# else. This looks at the rest: scripts that no test runs, programs that are named by their path, and lines of the list that nobody needs.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
cd "$root"

say "In the closed path there is what is listed, and nothing else"
# Both as processes of a shell see it, and through a program that has the whole path.
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
