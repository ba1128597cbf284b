#!/usr/bin/env bash
# Makes the files of this folder anew, in the folder given: with OpenSSL 3 and its old ciphers, and with Java's keytool.
set -euo pipefail

output=$(realpath "${1:?folder}")
rm -f "$output"/*.p8 "$output"/*.p12 "$output"/*.pfx
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

subject() { echo "/C=DE/O=Chatelaine Tests/CN=$1"; }

# A key, and a certificate by the issuer's: make NAME SUBJECT ISSUER EXTENSIONS ALGORITHM...
make() {
    openssl genpkey -out "$1.key" "${@:5}"
    openssl req -new -key "$1.key" -out "$1.csr" -subj "$(subject "$2")"
    openssl x509 -req -in "$1.csr" -CA "$3.pem" -CAkey "$3.key" -CAcreateserial -days 36500 -extfile "$4" -out "$1.pem"
}

bundle() {
    local name=$1 file=$2
    shift 2
    openssl pkcs12 -export -in "$name.pem" -inkey "$name.key" -out "$output/$file" "$@"
}

echo 'basicConstraints=critical,CA:TRUE' >ca
echo 'basicConstraints=CA:FALSE' >leaf
openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 36500 -subj "$(subject 'Test Root')"
make intermediate 'Test Intermediate' root ca -algorithm EC -pkeyopt ec_paramgen_curve:P-256
make rsa 'RSA Leaf' intermediate leaf -algorithm RSA -pkeyopt rsa_keygen_bits:2048
make p256 'P-256 Leaf' intermediate leaf -algorithm EC -pkeyopt ec_paramgen_curve:P-256
make p521 'P-521 Leaf' intermediate leaf -algorithm EC -pkeyopt ec_paramgen_curve:P-521
cat intermediate.pem root.pem >chain.pem

# As OpenSSL 1.1 and Windows XP to 7 wrote them.
bundle rsa rc2-40.p12 -certfile chain.pem -name 'RSA leaf' -legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -macalg sha1 \
    -passout pass:password
bundle rsa windows-like.pfx -certfile chain.pem -name 'Jürgen Größe' -legacy -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES \
    -macalg sha1 -CSP 'Microsoft Enhanced RSA and AES Cryptographic Provider' -LMK -passout 'pass:Pässwörd'
bundle p521 empty.p12 -name p521 -passout pass:
bundle p256 no-mac.p12 -name p256 -nomac -passout pass:password
bundle p256 in-the-open.p12 -name p256 -keypbe NONE -certpbe NONE -nomac -passout pass:
bundle rsa modern.p12 -certfile chain.pem -name modern -passout pass:password

# Java: a keystore of the old kind turned into PKCS#12, one of today with two keys, one as Java 8 made it.
store=(-storepass password)
keytool -importkeystore -srckeystore "$output/rc2-40.p12" -srcstoretype PKCS12 -srcstorepass password \
    -destkeystore old.jks -deststoretype JKS -deststorepass password -destkeypass password
keytool -importkeystore -srckeystore old.jks -srcstoretype JKS -srcstorepass password -destkeystore "$output/from-jks.p12" \
    -deststoretype PKCS12 -deststorepass password
keytool -genkeypair -alias rsa -keyalg RSA -keysize 2048 -dname 'CN=Java RSA' -validity 36500 -keystore "$output/java.p12" "${store[@]}"
keytool -genkeypair -alias ec -keyalg EC -groupname secp384r1 -dname 'CN=Java EC' -validity 36500 -keystore "$output/java.p12" "${store[@]}"
keytool -J-Dkeystore.pkcs12.legacy -genkeypair -alias old -keyalg RSA -keysize 2048 -dname 'CN=Old Java' -validity 36500 \
    -keystore "$output/java-legacy.p12" "${store[@]}"

# Two billions of iterations are demanded by files that were made with fewer, and so no passphrase is theirs.
openssl pkcs8 -topk8 -in p256.key -iter 8388608 -passout pass:password -outform DER -out "$output/iterations.p8"
bundle p256 iterations.p12 -iter 8388608 -passout pass:password
bundle p256 code-iterations.p12 -keypbe NONE -certpbe NONE -iter 8388608 -passout pass:password
python3 - "$output" <<'PYTHON'
import pathlib, sys
for name in ("iterations.p8", "iterations.p12", "code-iterations.p12"):
    path = pathlib.Path(sys.argv[1]) / name
    content = path.read_bytes()
    changed = content.replace(bytes.fromhex("020400800000"), bytes.fromhex("02047fffffff"))
    if changed == content:
        raise SystemExit(f"{name}: no number of iterations is found")
    path.write_bytes(changed)
PYTHON
chmod 644 "$output"/*.p8 "$output"/*.p12 "$output"/*.pfx
