#!/usr/bin/env bash
# Follows every link from one document in a folder to another.
#
#   Tests/links.sh FOLDER
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

folder=${1:?folder}
count=0
while read -r document; do
    while read -r target; do
        case $target in
        '' | *://* | mailto:*) continue ;;
        esac
        [ -e "$(dirname "$document")/$target" ] || die "$document: this link leads nowhere: $target"
        count=$((count + 1))
    done < <(sed -nE 's/\]\(([^)]*)\)/\n&\n/g; p' "$document" | sed -nE 's/^\]\(([^)#]*)(#[^)]*)?\)$/\1/p')
done < <(find "$folder" -name '*.md')
[ "$count" -gt 0 ] || die "no link was found below $folder"
