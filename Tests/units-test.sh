#!/usr/bin/env bash
# Checks the systemd units: systemd accepts them, and no setting gives the daemon a mount namespace.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for unit in chatelaine.socket chatelaine.service; do
    # The daemon's file only has to exist and be executable; the manual page need not be installed.
    sed "/^Documentation=/d; s|@PREFIX@/libexec/chatelaine/securityd|/bin/true|; s|@PREFIX@|/usr|g" \
        "$root/Packaging/systemd/$unit.in" >"$folder/$unit"
done

# systemd.exec(5), "Sandboxing": each of these settings implies a mount namespace, in which every caller looks foreign
# to the daemon.
if grep -nE '^(Protect(System|Home|Proc|KernelTunables|KernelModules|KernelLogs|ControlGroups|Clock|Hostname)|ProcSubset|(ReadWrite|ReadOnly|Inaccessible|Exec|NoExec)Paths|Bind(ReadOnly)?Paths|TemporaryFileSystem|Private(Tmp|Devices|Users|Mounts|Network|IPC)|MountFlags|MountAPIVFS|RootDirectory|RootImage|ExtensionImages|DynamicUser)=' \
    "$folder/chatelaine.service"; then
    die "the lines above give the daemon a namespace of its own"
fi

if ! command -v systemd-analyze >/dev/null; then
    echo "SKIPPED: optional: systemd-analyze is not here"
    exit 0
fi
# systemd creates nothing in this folder, but does not start without it.
export XDG_RUNTIME_DIR=$folder
output=$(systemd-analyze --user verify "$folder/chatelaine.socket" "$folder/chatelaine.service" 2>&1) || die "$output"
# systemd only warns about an unknown name.
[ -z "$output" ] || die "$output"
echo "systemd accepts the units"
