#!/usr/bin/env bash
# Starts private gnome-keyring and KWallet daemons, where installed, and runs the same benchmark with each.
#
#   Tools/bench-peers.sh BENCHMARK FOLDER
#
# All their files are below FOLDER, they have their own bus, and show no prompt. Everything runs on one processor, for
# the same reason as in the benchmark itself.
set -euo pipefail

if [ "${1-}" != inside ]; then
    benchmark=${1:?the benchmark}
    folder=${2:?a folder}/peers
    (umask 077 && mkdir -p "$folder"/{home,config,data,cache,run})
    # Without services, so that the bus starts no program on demand.
    cat >"$folder/bus.conf" <<BUS
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=$folder/run/bus</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
BUS
    run=(taskset -c 0)
    command -v dbus-run-session >/dev/null || exec "${run[@]}" "$benchmark" compare
    exec "${run[@]}" dbus-run-session --config-file="$folder/bus.conf" -- "$BASH" "${BASH_SOURCE[0]}" inside "$benchmark" "$folder"
fi

benchmark=$2
folder=$3
peers=()
started=()
end_peers() {
    [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
    wait
}
trap end_peers EXIT
# The environment of the peers only: Chatelaine's daemons keep their own folders.
private=(
    env -u DISPLAY -u WAYLAND_DISPLAY HOME="$folder/home" XDG_CONFIG_HOME="$folder/config" XDG_DATA_HOME="$folder/data"
    XDG_CACHE_HOME="$folder/cache" XDG_RUNTIME_DIR="$folder/run" QT_QPA_PLATFORM=offscreen
)
if command -v gnome-keyring-daemon >/dev/null; then
    printf %s benchmark | "${private[@]}" gnome-keyring-daemon --foreground --unlock --components=secrets \
        --control-directory="$folder/run/keyring" >"$folder/gnome-keyring.log" 2>&1 &
    started+=($!)
    peers+=(gnome-keyring)
fi
for program in kwalletd6 kwalletd5; do
    command -v "$program" >/dev/null || continue
    # KWallet shows no prompt, and leaves the Secret Service to gnome-keyring.
    printf '%s\n' '[Wallet]' 'Enabled=true' 'First Use=false' 'Prompt on Open=false' '[org.freedesktop.secrets]' apiEnabled=false \
        '[Auto Allow]' 'benchmark=chatelaine-bench' >"$folder/config/kwalletrc"
    "${private[@]}" "$program" >"$folder/$program.log" 2>&1 &
    started+=($!)
    peers+=("$program")
    break
done
"$benchmark" compare "${peers[@]}"
