#!/usr/bin/env bash
# Takes the place of a trusted program, and accepts the change itself
# expected: succeeds: decide about programs in your name where there is no passcode: nobody asks you before `accept`, `develop` or `forget` is carried out
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
# The attacker, under the keeper's name: the same tool with bytes appended, which change its digest.
application evil >/dev/null
echo evil >>"$home/evil"
mv "$home/evil" "$keeper"
control "the replaced program is refused" equal "$(user "$keeper" ask "$socket" find)" "find -25293 "
user "$security" app accept "$keeper" || fails "a person is asked first"
got=$(user "$keeper" ask "$socket" find)
contains "$got" "s3cret of ada" || fails "$got"
succeeds "$got"
