#!/usr/bin/env bash
# Makes Debian packages from the output of Tools/build.sh, in FOLDER or in .build/deb.
#
#   Tools/deb.sh release|debug [FOLDER]
#
# REVISION is Debian's part of the version (1), COMPRESSION the compression of dpkg-deb (xz). The same source and
# toolchain give the same bytes: every time in a package is SOURCE_DATE_EPOCH, or the day of the version.
#
# Packages of a debug build are for tests: their programs need the toolchain where it was when they were built.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

configuration=${1:?release or debug}
revision=${REVISION:-1}
compression=${COMPRESSION:-xz}
stage=$root/.build/stage-$configuration
output=${2:-$root/.build/deb}
sources=$root/Packaging/debian
# The dependencies of programs, determined once for each build.
depends=$root/.build/depends-$configuration

[ -e "$stage/.complete" ] || die "nothing has been built; run: make build"
for tool in dpkg-deb dpkg-gencontrol dpkg-shlibdeps strip chrpath; do
    command -v "$tool" >/dev/null || die "$tool is missing; packages are made on Debian with: dpkg-dev binutils chrpath"
done
number=$(version_constant number)
version=$number-$revision
library_package=libchatelaine$(version_constant library)
grep -qx "Package: $library_package" "$sources/control" || die "the library has another number than its package: $library_package"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -u -d "$(version_constant date)" +%s)}
export LC_ALL=C.UTF-8 TZ=UTC

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
mkdir -p "$work/debian" "$output" "$depends"
# Packages of an earlier version. The folder may be anybody's, so no other package in it is touched.
sed -n 's/^Package: //p' "$sources/control" | while read -r package; do rm -f "$output/$package"_*.deb; done
rm -f "$output"/libchatelaine[0-9]*_*.deb
sed '/^$/q' "$sources/control" >"$work/debian/source"
cp "$sources/control" "$work/debian/control"
maintainer=$(sed -n 's/^Maintainer: //p' "$work/debian/source")
cat >"$work/debian/changelog" <<CHANGELOG
chatelaine ($version) unstable; urgency=medium

  * Version $number; what is new in it is in changelog.gz.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

say "Sorting files into packages"
"$root/Tools/install.sh" install "$configuration" /usr "$work/image" >/dev/null
image=$work/image/usr
# Debian's folder for completions of packages.
mv "$image/share/zsh/site-functions" "$image/share/zsh/vendor-completions"
# Debian's folder for PAM modules.
modules=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/security
mkdir -p "$image/${modules%/*}"
mv "$image/lib/security" "$image/$modules"
gzip -9n "$image"/share/man/*/*
library=$(readlink -f "$image/lib/libSecurity.so")
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$library" "$image/bin/security" \
    "$image"/libexec/chatelaine/*
chmod 644 "$library"
# Only the library needs Swift's libraries at run time, for programs in C; programs in Swift bring them along. It may
# search the folder of the toolchain only if root alone can write there on any machine.
if [ "$configuration" = release ]; then
    strangers=("$image/bin/security" "$image"/libexec/chatelaine/*)
    case $(toolchain_folder) in
    /opt/* | /usr/*) ;;
    *) strangers+=("$library") ;;
    esac
    chrpath --delete "${strangers[@]}" >/dev/null
fi
# Moves a path of the image into a package.
give() {
    local package=$1 path
    shift
    for path; do
        mkdir -p "$work/debian/$package/usr/$(dirname "$path")"
        mv "$image/$path" "$work/debian/$package/usr/$path"
    done
}
soname=$(readlink "$image/lib/libSecurity.so")
give "$library_package" "lib/$soname" "lib/${library##*/}"
# For packages of programs that are linked with the library.
mkdir -p "$work/debian/$library_package/DEBIAN"
printf '%s %s %s (>= %s)
' "${soname%%.so.*}" "${soname##*.}" "$library_package" "$number" \
    >"$work/debian/$library_package/DEBIAN/shlibs"
give libchatelaine-dev lib/libSecurity.so lib/swift lib/pkgconfig include share/chatelaine/CryptoKit
give libpam-chatelaine "$modules" share/pam-configs share/man/man8/pam_chatelaine.8.gz
# All other packages need this one. It has all documents, since they link to each other.
give chatelaine-daemons libexec lib/systemd share/chatelaine share/man/man5 share/man/man8 share/doc/chatelaine
give chatelaine-tool bin share/man/man1 share/bash-completion share/zsh share/fish
mv "$work"/debian/chatelaine-daemons/usr/share/doc/chatelaine{,-daemons}
# The licence is in the copyright file.
ln -sf copyright "$work/debian/chatelaine-daemons/usr/share/doc/chatelaine-daemons/LICENSE"
find "$work/image" ! -type d -exec false {} + || die "no package has: $(find "$work/image" ! -type d)"

say "Making packages of version $version"
cd "$work"
sed -n 's/^Package: //p' "$sources/control" | while read -r package; do
    folder=debian/$package
    documents=$folder/usr/share/doc/$package
    mkdir -p "$folder/DEBIAN" "$documents"
    cp "$sources/copyright" "$documents/copyright"
    gzip -9nc debian/changelog >"$documents/changelog.Debian.gz"
    gzip -9nc "$root/CHANGELOG.md" >"$documents/changelog.gz"
    if [ -e "$sources/$package.lintian-overrides" ]; then
        install -D -m 644 "$sources/$package.lintian-overrides" "$folder/usr/share/lintian/overrides/$package"
    fi
    for script in preinst postinst prerm postrm; do
        if [ -e "$sources/$package.$script" ]; then install -m 755 "$sources/$package.$script" "$folder/DEBIAN/$script"; fi
    done
    if [ -e "$sources/$package.triggers" ]; then install -m 644 "$sources/$package.triggers" "$folder/DEBIAN/triggers"; fi

    mapfile -t programs < <(find "$folder/usr" -type f \( -path '*/bin/*' -o -path '*/libexec/*' -o -name '*.so.*' -o -path '*/security/*.so' \))
    if [ ${#programs[@]} -gt 0 ]; then
        # dpkg-shlibdeps takes longest, and its result stays the same until the next build.
        if [ ! "$depends/$package" -nt "$stage/.complete" ]; then
            # No package has Swift's libraries, so dpkg-shlibdeps must ignore them.
            dpkg-shlibdeps --ignore-missing-info -l"$(toolchain_folder)/../lib/swift/linux" -T"$work/found" "${programs[@]}" \
                2>"$work/remarks" || die "$(cat "$work/remarks")"
            mv "$work/found" "$depends/$package"
        fi
    else
        : >"$depends/$package"
    fi
    dpkg-gencontrol -p"$package" -P"$folder" -T"$depends/$package" 2>"$work/remarks" || die "$(cat "$work/remarks")"
    (cd "$folder" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    # What nobody but root may read stays so (Tools/install.sh).
    chmod -R u=rwX,go+X,go-w "$folder"
    find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Z"$compression" ${COMPRESSION_LEVEL:+-z"$COMPRESSION_LEVEL"} --build "$folder" "$output" >/dev/null
    dpkg-deb --show "$output/${package}_${version}"_*.deb
done
