# shellcheck shell=bash
# Clean Debian systems, made in a folder; sourced by tests after Tools/common.sh. Tests/in-clean-system.sh runs commands in them.

# A cache of packages for all clean systems.
clean_system_cache=${root:?}/.build/packages

# Prints why no clean system can be made or entered here; nothing if one can.
clean_system_obstacle() {
    local tool release
    for tool in apt-get mmdebstrap mount pivot_root unshare; do
        command -v "$tool" >/dev/null || { echo "$tool is not here" && return; }
    done
    [ "$(id -u)" -eq 0 ] || { echo "only root can make one" && return; }
    unshare --mount --pid --fork --kill-child mount -t tmpfs none /mnt 2>/dev/null || { echo "file systems cannot be mounted here" && return; }
    # The archive of another distribution would give another system.
    [ -n "$(debian_release)" ] || { echo "this is no Debian" && return; }
    release=$(mktemp)
    # apt's own helper for downloads, which is not in PATH.
    /usr/lib/apt/apt-helper download-file "$(debian_mirror)/dists/$(debian_release)/Release" "$release" >/dev/null 2>&1 ||
        echo "Debian's archive cannot be reached"
    rm -f "$release"
}

debian_release() { (. /etc/os-release && if [ "${ID-}" = debian ]; then echo "${VERSION_CODENAME-}"; fi); }
# Prints the address of Debian's archive that this machine uses.
debian_mirror() {
    local mirror
    mirror=$(apt-get indextargets --format "\$(RELEASE) \$(REPO_URI)" "Created-By: Packages" "Origin: Debian" |
        sed -n "s|^$(debian_release) \(.*[^/]\)/*$|\1|p" | head -n 1)
    echo "${mirror:-http://deb.debian.org/debian}"
}

# make_clean_system FOLDER [PACKAGE…]: makes a system of Debian's essential packages, apt and the named packages,
# fetched with this machine's settings.
make_clean_system() {
    local folder=$1 include settings words
    shift
    include=$(IFS=, && echo "$*")
    mkdir -p "$clean_system_cache"
    settings=$(mktemp)
    apt-config dump | grep -E '^Acquire::(Check-|ForceIP|Languages|Retries|ftp|https?)' >"$settings" || true
    # The cache replaces the system's own while packages are fetched. dpkg need not sync: the system need not survive a
    # power cut.
    # shellcheck disable=SC2016 # for the shell that runs the hooks
    words=$(mmdebstrap --quiet --variant=apt ${include:+--include="$include"} --aptopt="$settings" --dpkgopt=force-unsafe-io \
        --skip=cleanup/tmp,download/empty,essential/unlink \
        --setup-hook='mkdir -p "$1/var/cache/apt/archives"' \
        --setup-hook="mount --bind '$clean_system_cache' \"\$1/var/cache/apt/archives\"" \
        --customize-hook='umount "$1/var/cache/apt/archives"' \
        "$(debian_release)" "$folder" "deb $(debian_mirror) $(debian_release) main" 2>&1) ||
        die "no clean system could be made: $words"
    rm "$settings"
}

# copy_sources FOLDER: copies the project in its present state as a new repository, without files that git ignores.
copy_sources() {
    local index tree
    index=$(mktemp -u)
    mkdir -p "$1"
    (
        cd "$root" || exit
        export GIT_INDEX_FILE=$index
        git add --all
        tree=$(git write-tree)
        git archive "$tree" | tar -x -C "$1"
    )
    rm "$index"
    git -C "$1" init --quiet
    git -C "$1" add --all
}

# The folder of the sources in a bare machine.
sources_there=/srv/chatelaine

# Makes a bare machine: a clean system with git, make and the sources, which borrows Swift's toolchain.
bare_machine_obstacle() {
    case $(dirname "$(toolchain_folder)") in
    / | /usr | /usr/local) echo "Swift is not in a folder of its own" ;;
    *) clean_system_obstacle ;;
    esac
}
make_bare_machine() {
    make_clean_system "$1" git make ca-certificates
    copy_sources "$1$sources_there"
}
