#!/usr/bin/env bash
# Installs the output of Tools/build.sh below a prefix, or removes it.
#
#   Tools/install.sh install|uninstall CONFIGURATION PREFIX [DESTDIR]
#
# PREFIX is the place of the files at run time; DESTDIR, for packagers, is prepended while copying.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

action=${1:?install or uninstall}
stage=$root/.build/stage-${2:?release or debug}
prefix=${3:?prefix}
destination=${4-}$prefix
case $prefix in
/*) ;;
*) die "PREFIX must be an absolute path, for the systemd units name it: $prefix" ;;
esac
# The units and the compiler flags of clients have the prefix, and would have to quote these characters differently.
[[ $prefix != *[[:space:]\"\'\\%\&\|]* ]] || die "PREFIX may not contain spaces, quotes, or any of \\ % & |: $prefix"

# Files and folders, installed at the same relative paths as here, so that their links work.
documents=(README.md CHANGELOG.md LICENSE THREAT-MODEL.md ARCHITECTURE.md CONTRIBUTING.md Documentation/from-c.md Documentation/from-macos.md
    Documentation/behaviour Documentation/formats Documentation/decisions Examples)
units=(chatelaine.socket chatelaine.service)
# The folder of each shell's completions, below the prefix.
completions=(
    security.bash:bash-completion/completions/security
    _security:zsh/site-functions/_security
    security.fish:fish/vendor_completions.d/security.fish
)
# Prints the path of a manual page, by its section.
manual() { printf 'share/man/man%s/%s' "${1##*.}" "$1"; }

# Ends daemons whose programs were replaced or removed: their sandboxes do not let them start the new ones. The next
# call starts new daemons. What they acknowledged is on disk, and clients ask again. A process of another root, in a
# container, is none of ours. Without privileges nobody sees the program of a daemon, but its command line.
end_replaced_daemons() {
    local process program securityd
    # The kernel and the launcher name it without links.
    securityd=$(readlink -m -- "$prefix")/libexec/chatelaine/securityd
    [ "$destination" = "$prefix" ] || return 0
    for process in /proc/[0-9]*; do
        if program=$(readlink "$process/exe" 2>/dev/null); then
            if [ "$program" != "$securityd (deleted)" ] || ! [ "$process/root" -ef / ]; then continue; fi
        else
            IFS= read -r -d '' program 2>/dev/null <"$process/cmdline" || continue
            [ "$program" = "$securityd" ] || [ "$program" = "$prefix/libexec/chatelaine/securityd" ] || continue
        fi
        kill "${process#/proc/}" 2>/dev/null || true
    done
}

case $action in
install)
    [ -e "$stage/.complete" ] || die "nothing has been built; run: make build"
    # securityd comes last, so that one which starts meanwhile finds the programs that it will start.
    (cd "$stage" && find . -type f ! -name .complete ! -name securityd -printf '%P\n' &&
        find . -type f -name securityd -printf '%P\n') | while read -r file; do
        mode=644
        [ -x "$stage/$file" ] && mode=755
        # If a user cannot read a program's file, the kernel never lets that user's programs trace the process.
        # Otherwise they could trace it until it enters its sandbox.
        case $file in libexec/chatelaine/enclaved | libexec/chatelaine/keyd | libexec/chatelaine/security-agent | libexec/chatelaine/trustd | libexec/chatelaine/formatd | libexec/chatelaine/fetchd) mode=711 ;; esac
        # A running program keeps its old file, and one that starts now finds a whole one.
        install -D -T -m "$mode" "$stage/$file" "$destination/$file.chatelaine-new"
        mv -fT "$destination/$file.chatelaine-new" "$destination/$file"
    done
    (cd "$stage" && find . -type l -printf '%P\n') | while read -r link; do
        ln -sfT "$(readlink "$stage/$link")" "$destination/$link"
    done
    # Removes the library of an earlier version, to which no link leads any more.
    library=$(basename "$(readlink -f "$stage/lib/libSecurity.so")")
    find "$destination/lib" -maxdepth 1 -type f -name 'libSecurity.so.*' ! -name "$library" -delete
    for unit in "${units[@]}"; do
        install -d "$destination/lib/systemd/user"
        sed "s|@PREFIX@|$prefix|g" "$root/Packaging/systemd/$unit.in" >"$destination/lib/systemd/user/$unit"
        chmod 644 "$destination/lib/systemd/user/$unit"
    done
    # The folder of Debian's pam-auth-update, below /usr.
    install -d "$destination/share/pam-configs"
    # Below /usr, PAM finds its modules by their names; elsewhere it needs the path.
    module=$prefix/lib/security/
    [ "$prefix" != /usr ] || module=
    sed "s|@PREFIX@|$prefix|g; s|@MODULE@|$module|" "$root/Packaging/pam/chatelaine.in" >"$destination/share/pam-configs/chatelaine"
    chmod 644 "$destination/share/pam-configs/chatelaine"
    sed "s|@PREFIX@|$prefix|" "$stage/lib/pkgconfig/chatelaine.pc" >"$destination/lib/pkgconfig/chatelaine.pc"
    # Hidden folders are the build folders of examples.
    (cd "$root" && find "${documents[@]}" -name '.*' -prune -o -type f -print) | while read -r document; do
        install -D -m 644 "$root/$document" "$destination/share/doc/chatelaine/$document"
    done
    for page in "$root"/Packaging/man/*; do
        install -D -m 644 "$page" "$destination/$(manual "${page##*/}")"
    done
    for completion in "${completions[@]}"; do
        install -D -m 644 "$root/Packaging/completions/${completion%%:*}" "$destination/share/${completion#*:}"
    done
    # The source of a package that programs compile themselves (Documentation/decisions/0018-cryptokit.md).
    install -D -m 644 "$root/Packaging/CryptoKit/Package.swift" "$destination/share/chatelaine/CryptoKit/Package.swift"
    for source in "$root"/Sources/Faces/CryptoKit/*.swift; do
        install -D -m 644 "$source" "$destination/share/chatelaine/CryptoKit/Sources/CryptoKit/${source##*/}"
    done
    # For people to read; the programs have this list compiled in.
    install -D -m 644 "$root/Tools/data/interpreters" "$destination/share/chatelaine/interpreters"
    end_replaced_daemons
    echo "Installed below $destination"
    ;;
uninstall)
    # Removes by name, not by the stage, which may have been built anew since the installation.
    rm -rf "${destination:?}/lib/swift/chatelaine" "$destination/libexec/chatelaine" "$destination/share/doc/chatelaine" "$destination/share/chatelaine" \
        "$destination/include/chatelaine"
    rm -f "$destination"/lib/libSecurity.so{,.[0-9]*} "$destination/lib/pkgconfig/chatelaine.pc" "$destination/bin/security" \
        "$destination/lib/security/pam_chatelaine.so" "$destination/share/pam-configs/chatelaine" \
        "${units[@]/#/$destination/lib/systemd/user/}"
    for page in security.1 securityd.8 enclaved.8 keyd.8 security-agent.8 trustd.8 formatd.8 fetchd.8 pam_chatelaine.8; do rm -f "$destination/$(manual "$page")"; done
    rm -f "$destination"/share/man/man5/chatelaine-*.5 "${completions[@]/#*:/$destination/share/}"
    end_replaced_daemons
    echo "Removed from $destination; passwords and keys of users stay where they are"
    ;;
*) die "unknown action: $action" ;;
esac
