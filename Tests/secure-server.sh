#!/usr/bin/env bash
# Builds Examples/SecureServer against an installed keychain, and connects server and client by TLS 1.2 and 1.3, with
# RSA and P-256 keys. Then OpenSSL replaces either. The server must refuse clients without a certificate, or with a
# certificate of another authority.
#
#   make interop    (not part of make test: swift-nio and BoringSSL take minutes to build)
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

configuration=${CONFIGURATION:-debug}
# A short path: the name of a Unix socket has room for 107 bytes.
folder=$(mktemp -d /tmp/chatelaine-tls.XXXXXX)
prefix=$folder/prefix
export CHATELAINE_HOME=$folder/home
unset CHATELAINE_LIBEXEC
server=""
# Root uses only root's own trust settings, not those of a user.
user=()
if [ "$(id -u)" -eq 0 ]; then
    user=(setpriv --reuid 24200 --regid 24200 --clear-groups --)
    chown 24200:24200 "$folder"
    chmod 755 "$folder"
fi

clean_up() {
    local status=$?
    end_server
    stop_daemons "$prefix" || status=1
    rm -rf "$folder"
    exit "$status"
}
end_server() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
        server=""
    fi
}
trap clean_up EXIT

make -s -C "$root" build CONFIGURATION="$configuration"
"$root/Tools/install.sh" install "$configuration" "$prefix"

say "Build the example, with compiler flags alone"
# The build folder is kept between runs, since it has all of BoringSSL. The prefix always has the same name there, so
# that nothing is compiled anew.
build=$root/.build/secure-server
mkdir -p "$build"
ln -sfn "$prefix" "$build/prefix"
swift build "${build_flags[@]}" --package-path "$root/Examples/SecureServer" --scratch-path "$build" \
    -Xswiftc "-I$build/prefix/lib/swift/chatelaine" \
    -Xlinker "-L$build/prefix/lib" -Xlinker -rpath -Xlinker "$build/prefix/lib"
# The test's own programs, each with its keychain.
cp "$build/debug/secure-server" "$build/debug/secure-client" "$folder/"

say "Make two authorities, and identities of both kinds of keys"
ca() { # ca NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$folder/$1.key" -out "$folder/$1.pem" \
        -subj "/O=Example/CN=$1" -days 30 -addext keyUsage=critical,keyCertSign 2>/dev/null
}
# Makes an authority below another one, as companies have.
issuer() { # issuer NAME AUTHORITY
    openssl req -x509 -CA "$folder/$2.pem" -CAkey "$folder/$2.key" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
        -keyout "$folder/$1.key" -out "$folder/$1.pem" -subj "/O=Example/CN=$1" -days 25 \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2>/dev/null
}
identity() { # identity NAME AUTHORITY USAGE KEY…
    local name=$1 authority=$2 usage=$3
    shift 3
    openssl req -x509 -CA "$folder/$authority.pem" -CAkey "$folder/$authority.key" -newkey "$@" -nodes \
        -keyout "$folder/$name.key" -out "$folder/$name.pem" -subj "/CN=$name" -days 20 \
        -addext basicConstraints=critical,CA:FALSE -addext "extendedKeyUsage=$usage" -addext subjectAltName=DNS:localhost 2>/dev/null
    openssl pkcs12 -export -inkey "$folder/$name.key" -in "$folder/$name.pem" -certfile "$folder/$authority.pem" -out "$folder/$name.p12" -passout pass:open-sesame
}
p256=(ec -pkeyopt ec_paramgen_curve:P-256) rsa=(rsa:2048)
ca company
ca stranger
issuer issuing company
identity server-ec issuing serverAuth "${p256[@]}"
identity server-rsa company serverAuth "${rsa[@]}"
identity ada-ec issuing clientAuth "${p256[@]}"
identity ada-rsa company clientAuth "${rsa[@]}"
identity mallory stranger clientAuth "${p256[@]}"
identity impostor stranger serverAuth "${p256[@]}"

say "The keys go into the keychain, and their files away"
chmod 644 "$folder"/*.p12
import() { # import PROGRAM NAME
    local label
    label=$("${user[@]}" "$folder/$1" import "$folder/$2.p12" <<<open-sesame)
    [ "$label" = "$2" ] || die "the identity of $2 is called '$label'"
}
for name in server-ec server-rsa impostor; do import secure-server "$name"; done
for name in ada-ec ada-rsa mallory; do import secure-client "$name"; done
rm "$folder"/*.p12 "$folder"/server-*.key "$folder/impostor.key"
# The script types the passcode as a person would.
printf right-passcode | "${user[@]}" "$prefix/bin/security" passcode set --stdin
python3 "$root/Tests/typing.py" right-passcode "${user[@]}" "$prefix/bin/security" add-trusted-cert "$folder/company.pem"

start() { # start LABEL: starts the server, and reads its port
    local attempt
    end_server
    : >"$folder/listening"
    "${user[@]}" "$folder/secure-server" serve "$1" 0 >"$folder/listening" 2>"$folder/complaints" &
    server=$!
    for attempt in {1..200}; do
        port=$(sed -n 's/^listening on port //p' "$folder/listening")
        [ -z "$port" ] || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    die "the server does not start (after $attempt looks): $(cat "$folder/complaints")"
}
get() { "${user[@]}" "$folder/secure-client" get localhost "$port" "$@"; }
refused() { # refused WHAT ARGUMENTS…
    local what=$1 output status=0
    shift
    output=$(get "$@" 2>&1) || status=$?
    [ "$status" -eq 1 ] || die "$what: ended with $status: $output"
    if grep -q hello <<<"$output"; then die "$what: got the page"; fi
    printf '%s: %s\n' "$what" "$output"
}
openssl_get() { # openssl_get VERSION NAME: gets a page with OpenSSL as the client
    printf 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' | timeout 20 openssl s_client -quiet -connect "127.0.0.1:$port" "-$1" \
        -servername localhost -verify_hostname localhost -CAfile "$folder/company.pem" -verify_return_error \
        -cert "$folder/$2.pem" -key "$folder/$2.key" 2>/dev/null || true
}

for key in ec rsa; do
    start "server-$key"
    for client in ada-ec ada-rsa; do
        for option in "" --tls12; do
            say "Server with $key, client with $client${option:+, TLS 1.2}"
            [ "$(get "$client" ${option:+"$option"})" = hello ] || die "no page: $(cat "$folder/complaints")"
        done
    done
    for option in "" --tls12; do
        refused "without a certificate${option:+, TLS 1.2}" ${option:+"$option"}
        refused "of another authority${option:+, TLS 1.2}" mallory ${option:+"$option"}
    done
    for version in tls1_2 tls1_3; do
        say "OpenSSL as the client of a server with $key, $version"
        grep -q '^hello' <<<"$(openssl_get "$version" ada-rsa)" || die "OpenSSL gets no page"
        if grep -q hello <<<"$(openssl_get "$version" mallory)"; then die "OpenSSL gets the page with another's certificate"; fi
    done
done

say "A server whose certificate is of another authority, or for another name, is none"
start impostor
refused "an impostor" ada-ec
start server-ec
output=$("${user[@]}" "$folder/secure-client" get other.example "$port" ada-ec 2>&1) && die "a certificate for localhost was taken for other.example"
printf 'another name: %s\n' "$output"

say "OpenSSL as the server"
for version in tls1_2 tls1_3; do
    option=()
    if [ "$version" = tls1_2 ]; then option=(--tls12); fi
    identity other-server company serverAuth "${p256[@]}"
    end_server
    openssl s_server -accept 127.0.0.1:0 "-$version" -cert "$folder/other-server.pem" -key "$folder/other-server.key" \
        -CAfile "$folder/company.pem" -Verify 2 -verify_return_error -www >"$folder/listening" 2>&1 &
    server=$!
    for _ in {1..200}; do
        port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$folder/listening")
        [ -z "$port" ] || break
        sleep 0.05
    done
    [ -n "$port" ] || die "OpenSSL's server does not start: $(cat "$folder/listening")"
    for client in ada-ec ada-rsa; do
        get "$client" "${option[@]}" | grep -q "Protocol *: TLSv1.${version#tls1_}" ||
            die "OpenSSL's server has no page for $client by $version"
    done
    refused "without a certificate, to OpenSSL's server" "${option[@]}"
done
