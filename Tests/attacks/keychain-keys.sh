#!/usr/bin/env bash
# Tries to take private keys of a file keychain: asks as another program, and gives a key the use, access object or place of another
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
thief=$(application thief "$ATTACK_PREFIX/bin/probe")
# The thief needs other bytes: with the same bytes it would be the same program.
# shellcheck disable=SC2016
user sh -c 'cp "$0" "$0.next" && printf thief >>"$0.next" && mv "$0.next" "$0"' "$thief"
folder=$home/data/keychains
silent='{"call":"SecKeychain","function":"SetUserInteractionAllowed","state":false}'
call() { printf '{"call":"%s","path":"%s"%s}\n' "$2" "$1" "${3:-}" | user "$keeper"; }
open_keychain() { contains "$(call "$1" keychain-unlock ',"passcodes":["right"]')" '"status":0'; }
lock_keychain() { contains "$(call "$1" keychain-lock)" '"status":0'; }
# use PROGRAM LABEL CALL: makes a program's call without a prompt, and prints its result.
use() {
    printf '%s\n' "$silent" \
        "{\"call\":\"find\",\"query\":{\"class\":\"keys\",\"kcls\":1,\"labl\":\"$2\",\"m_SearchList\":[{\"keychain\":\"a\"}],\"r_Ref\":true}}" \
        "{\"call\":\"$3\",\"algorithm\":\"algid:sign:ECDSA:message-X962:SHA256\",\"query\":{\"key\":{\"reference\":0},\"data\":{\"data\":\"bQ==\"}}}" |
        user "$1" | tail -n 1 | sed -n 's/.*"status":\(-\{0,1\}[0-9]*\).*/\1/p'
}
# sql PATH STATEMENTS: runs SQL as the user, who may not reach every python3 that root has.
sql() {
    python3 -c 'if True:
        import os, sqlite3, sys
        if os.getuid() == 0: os.setgroups([]), os.setgid(int(sys.argv[1])), os.setuid(int(sys.argv[1]))
        connection = sqlite3.connect(sys.argv[2])
        connection.execute("ATTACH ? AS other", [sys.argv[3]])
        connection.executescript(sys.argv[4])' "$ATTACK_USER" "$folder/$1-db" "$folder/other-db" "$2"
}

start_daemon 2>"$ATTACK_FOLDER/log"
# In each keychain one key may only be used, and another may be exported.
for name in other whole; do
    control "a keychain" contains "$(call "$name" keychain-create ',"passcodes":["right"]')" '"status":0'
    for key in 'kept","extr":false' 'lent","extr":true'; do
        made=$(printf '%s\n' "{\"call\":\"makeKey\",\"query\":{\"type\":73,\"bsiz\":256,\"perm\":true,\"u_Keychain\":{\"keychain\":\"$name\"},\"labl\":\"$key}}" | user "$keeper")
        control "a key" contains "$made" '"status":0'
    done
    lock_keychain "$name"
done

# put STATEMENTS: makes a copy of the whole keychain, edits it, and opens it.
put() {
    forget_snapshots
    user cp "$folder/whole-db" "$folder/a-db"
    sql a "$1"
    control "it opens" open_keychain a
}
# harmless: checks that after an edit no key does what its maker did not allow.
harmless() {
    [ "$(use "$keeper" kept raw)" != 0 ] || succeeds "$1: a key for use alone was given out"
    for label in kept lent; do
        for what in sign raw export; do
            [ "$(use "$thief" "$label" "$what")" != 0 ] || succeeds "$1: the thief used a key for $what"
        done
    done
    lock_keychain a
    rm -f "$folder/a-db"
}

put ""
control "its maker signs with the first key" equal "$(use "$keeper" kept sign)" 0
control "its maker signs with the second key" equal "$(use "$keeper" lent sign)" 0
control "its maker exports the second key" equal "$(use "$keeper" lent raw)" 0
control "another program finds the second key" equal "$(use "$thief" lent publicKey)" 0
harmless "nothing"

# One seal covers a key's permitted uses, its listed programs and its place.
columns="metadata, row_key, secret"
put "CREATE TEMP TABLE both AS SELECT * FROM items; UPDATE items SET metadata = (SELECT metadata FROM both WHERE both.row <> items.row)"
harmless "metadata exchanged"
put "CREATE TEMP TABLE both AS SELECT * FROM items; UPDATE items SET (row_key, secret) = (SELECT row_key, secret FROM both WHERE both.row <> items.row)"
[ "$(use "$keeper" kept sign)" != 0 ] || succeeds "a key in the place of another key was used"
harmless "keys exchanged"
put "UPDATE items SET ($columns) = (SELECT $columns FROM other.items others WHERE others.row = items.row)"
[ "$(use "$keeper" kept sign)" != 0 ] || succeeds "a key of another file was used"
harmless "those of another file"
put "DELETE FROM items; INSERT INTO items SELECT * FROM other.items"
[ "$(use "$keeper" lent sign)" != 0 ] || succeeds "a row of another file was used"
harmless "rows of another file"
# The description of a key states its purpose: {0: kind, 1: use, 2: public key}.
control "the file shows a key's use" env LC_ALL=C grep -qaP '\xa3\x00\x02\x01\x01\x02' "$folder/whole-db"
python3 - "$folder/whole-db" "$folder/a-db" <<'EDIT'
import os, sys
content = open(sys.argv[1], "rb").read()
os.path.exists(sys.argv[2]) and os.remove(sys.argv[2])
with open(sys.argv[2], "wb") as file: file.write(content.replace(b"\xa3\x00\x02\x01\x01\x02", b"\xa3\x00\x02\x01\x02\x02"))
os.chown(sys.argv[2], os.stat(sys.argv[1]).st_uid, os.stat(sys.argv[1]).st_gid), os.chmod(sys.argv[2], 0o600)
EDIT
control "it opens" open_keychain a
harmless "another use"
fails "only listed programs use a key, and only for its permitted uses"
