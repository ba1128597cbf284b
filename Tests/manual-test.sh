#!/usr/bin/env bash
# Renders every manual page, and checks it with groff and mandoc. ManualPagesTests checks that pages are up to date.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

cd "$root/Packaging/man"
export LC_ALL=C.UTF-8 MANWIDTH=80 MAN_KEEP_FORMATTING=
for page in *.[158]; do
    if command -v groff >/dev/null; then
        remarks=$(groff -t -man -ww -K utf8 -T utf8 "$page" 2>&1 >/dev/null)
        [ -z "$remarks" ] || die "groff about $page: $remarks"
    fi
    if command -v man >/dev/null; then
        remarks=$(man --warnings --encoding=UTF-8 --local-file "$page" 2>&1 >/dev/null)
        [ -z "$remarks" ] || die "man about $page: $remarks"
    fi
    if command -v mandoc >/dev/null; then
        mandoc -T lint "$page" || die "mandoc complains about $page"
    fi
done
for tool in groff man mandoc; do command -v "$tool" >/dev/null || echo "SKIPPED: optional: $tool is not here"; done
