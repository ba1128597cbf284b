#!/usr/bin/env python3
"""Verifies a JSON Web Token of ES256 with OpenSSL, and prints its claims.

    verify-token.py KEY TOKEN     KEY is a JSON Web Key of P-256
"""
import base64
import json
import pathlib
import subprocess
import sys
import tempfile

# SubjectPublicKeyInfo of a key of P-256, up to the point.
P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def integer(number):
    number = number.lstrip(b"\0") or b"\0"
    if number[0] & 0x80:
        number = b"\0" + number
    return b"\x02" + bytes([len(number)]) + number


def verify(key, token):
    header, claims, signature = token.split(".")
    algorithm = json.loads(decoded(header))["alg"]
    signature = decoded(signature)
    if (algorithm, key["kty"], key["crv"], len(signature)) != ("ES256", "EC", "P-256", 64):
        sys.exit("this is no token of ES256")
    numbers = integer(signature[:32]) + integer(signature[32:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "key").write_bytes(P256 + b"\x04" + decoded(key["x"]) + decoded(key["y"]))
        (folder / "signature").write_bytes(b"\x30" + bytes([len(numbers)]) + numbers)
        check = ["openssl", "dgst", "-sha256", "-keyform", "DER", "-verify", folder / "key", "-signature", folder / "signature"]
        run = subprocess.run(check, input=f"{header}.{claims}".encode(), capture_output=True)
    if run.returncode != 0:
        sys.exit("OpenSSL does not verify the signature")
    return json.loads(decoded(claims))


print(json.dumps(verify(json.loads(sys.argv[1]), sys.argv[2]), sort_keys=True))
