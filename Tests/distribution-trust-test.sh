#!/usr/bin/env bash
# Deploys a company's root to a machine with one command, and removes it. Meanwhile curl and Python, which do not use
# Chatelaine, trust its server. Uses the distribution's own tools, in a mount namespace with its own /etc.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

if [ "$(id -u)" -ne 0 ]; then
    echo "SKIPPED: needs root: what the machine trusts is root's to say"
    exit 0
fi
command -v update-ca-certificates >/dev/null || { echo "SKIPPED: optional: update-ca-certificates is not here" && exit 0; }
if [ "${1-}" != inside ]; then exec unshare -m --propagation private bash "${BASH_SOURCE[0]}" inside; fi

work=$(mktemp -d)
chmod 755 "$work"
stage=$root/.build/stage-debug
server=
trap '[ -z "$server" ] || kill "$server"; stop_daemons "$work/prefix"; rm -rf "$work"' EXIT

[ -e "$stage/.complete" ] || die "nothing has been built; run: make build CONFIGURATION=debug"
say "An /etc and a folder of certificates of our own"
folder=/usr/local/share/ca-certificates
mkdir "$work/etc" "$work/certificates" "$work/home"
cp -a /etc/. "$work/etc"
mount --bind "$work/etc" /etc
rm -rf /etc/chatelaine
mkdir -p "$folder"
mount --bind "$work/certificates" "$folder"
# openSUSE's tool has the same name, so the test uses this machine's own tool.
mkdir -p /etc/pki/trust/anchors
cp -a "$stage" "$work/prefix"
# Root's own keychain, with an administrator's environment.
security() {
    env -i HOME="$work/home" CHATELAINE_HOME="$work/home" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$work/prefix/bin/security" "$@"
}

say "A company's root, and its server"
cd "$work"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem -subj '/O=Example/CN=Deployed Root' \
    -days 90 -addext keyUsage=critical,keyCertSign 2>/dev/null
openssl req -x509 -CA root.pem -CAkey root.key -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout leaf.key -out leaf.pem \
    -subj /CN=localhost -days 30 -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:localhost \
    -addext extendedKeyUsage=serverAuth 2>/dev/null
cat >server.py <<'PYTHON'
import http.server, ssl
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("leaf.pem", "leaf.key")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
with open("port.new", "w") as file: file.write(str(server.server_address[1]))
import os
os.rename("port.new", "port")
server.serve_forever()
PYTHON
python3 server.py >/dev/null 2>&1 &
server=$!
for ((try = 0; try < 100; try++)); do
    [ ! -e port ] || break
    sleep 0.1
done
port=$(cat port)
cat >client.py <<'PYTHON'
import socket, ssl, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30) as plain:
    try:
        ssl.create_default_context().wrap_socket(plain, server_hostname="localhost").close()
    except ssl.SSLCertVerificationError:
        sys.exit(60)
PYTHON

# expect STATUS: checks whether curl, Python and Chatelaine trust the server; 60 is an untrusted certificate. Any answer
# of the server counts as trust.
expect() {
    local status=0
    curl --silent --output /dev/null --resolve "localhost:$port:127.0.0.1" --noproxy '*' "https://localhost:$port/" || status=$?
    [ "$status" -eq "$1" ] || die "curl ended with $status, and not with $1"
    status=0
    python3 client.py "$port" || status=$?
    [ "$status" -eq "$1" ] || die "Python ended with $status, and not with $1"
    status=0
    security verify-cert -q -L -c leaf.pem -p ssl -n localhost 2>/dev/null || status=$?
    [ "$status" -eq "$(($1 == 0 ? 0 : 1))" ] || die "verify-cert ended with $status"
}

say "Nobody believes it"
expect 60
say "All believe it"
security add-trusted-cert -d -U root.pem
expect 0
say "Twice is once"
security add-trusted-cert -d -U root.pem
expect 0
say "What is for less is not for these tools"
security add-trusted-cert -d -r deny root.pem
expect 60
# A pipe has its content once.
openssl x509 -in root.pem | security add-trusted-cert -d -U /dev/stdin
expect 0
say "Nobody believes it any more"
security remove-trusted-cert -d root.pem
expect 60
[ -z "$(ls "$folder")" ] || die "something is left in $folder"
! security remove-trusted-cert -d root.pem 2>/dev/null || die "what is gone was removed"
