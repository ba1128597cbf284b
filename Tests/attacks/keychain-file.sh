#!/usr/bin/env bash
# Edits a locked file keychain: changes a name and an access object, exchanges two rows, puts in an item of another file, removes a row, and puts yesterday's file back
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
folder=$home/data/keychains
call() {
    printf '{"call":"%s","path":"%s","account":"%s"%s}\n' "$2" "$1" "$3" "${4:-}" | user "$keeper"
}
open_keychain() { contains "$(call "$1" keychain-unlock "" ',"passcodes":["right"]')" '"status":0'; }
lock_keychain() { contains "$(call "$1" keychain-lock "")" '"status":0'; }
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
for name in other whole; do
    control "a keychain" contains "$(call "$name" keychain-create "" ',"passcodes":["right"]')" '"status":0'
    for account in ada bob; do
        control "an item" equal "$(call "$name" file-add "$account" ",\"secret\":\"$account of $name\"")" '{"status":0}'
    done
    lock_keychain "$name"
done

# Prints the items of the attacked keychain that the log names, by class and identifier.
named() { grep -c 'a damaged row (genp [0-9a-f]\{32\}: .*keychain=.*/a-db' "$ATTACK_FOLDER/log" || true; }
is_named() { [ "$(named)" -ge $((names + $1)) ]; }
# told ROWS: checks that the log names so many rows as soon as the keychain is open, before any request for them.
told() {
    names=$(named)
    control "it opens" open_keychain a
    await is_named "$1" || succeeds "$1 edited, and the log names $(($(named) - names))"
}
losses() { { cat "$home"/data/file-keychains/*.losses.jsonl 2>/dev/null || true; } | wc -c; }
# put STATEMENTS: makes a locked copy of the whole keychain, and edits it. Nothing proves the content of a locked keychain.
put() {
    forget_snapshots
    user cp "$folder/whole-db" "$folder/a-db"
    before=$(losses)
    sql a "$1"
}
# expect ADA BOB TOLD: opens the keychain and checks its secrets: none may be another item's. The list of losses must have the
# edit, unless TOLD is `in-silence`.
expect() {
    control "it opens" open_keychain a
    [ "$(secret ada),$(secret bob),$(secret eve)" = "$1,$2," ] || succeeds "in line ${BASH_LINENO[0]}: ada: $(secret ada), bob: $(secret bob), eve: $(secret eve); $(answers ada bob)"
    [ "$3" = in-silence ] || [ "$(losses)" -gt "$before" ] || succeeds "the list of losses has no entry"
    lock_keychain a
    rm -f "$folder/a-db"
}
snapshots() { [ -n "$(find "$home/data/file-keychains" -path '*.snapshots/*/snapshot' ! -path '*.part/*' -print -quit)" ]; }
# The daemon's other reports about these items.
answers() {
    local account
    for account in "$@"; do call a file-find "$account" ',"ui":"fail"'; done | tr '\n' ' '
    tail -n 5 "$ATTACK_FOLDER/log" | tr '\n' ' '
}
secret() { call a file-find "$1" ',"ui":"fail"' | sed -n 's/.*"result":"\([^"]*\)","status":0.*/\1/p'; }

put ""
expect "ada of whole" "bob of whole" in-silence
put "UPDATE items SET metadata = CAST(replace(CAST(metadata AS TEXT), 'ada', 'eve') AS BLOB) WHERE instr(metadata, CAST('ada' AS BLOB))"
control "a reader of the locked file sees the other name" contains "$(call a file-names "")" eve
told 1
expect "" "bob of whole" told
# The same seal covers the access objects of items.
control "the file shows partitions" grep -qa cdhash: "$folder/whole-db"
put "UPDATE items SET metadata = CAST(replace(CAST(metadata AS TEXT), 'cdhash:', 'teamid:') AS BLOB)"
told 2
expect "" "" told
rows="SELECT metadata, row_key, secret FROM"
# If a snapshot has the row as it was before, the snapshot's row replaces it.
put ""
control "it opens" open_keychain a
await snapshots || succeeds "no snapshot is taken"
lock_keychain a
before=$(losses)
sql a "UPDATE items SET metadata = CAST(replace(CAST(metadata AS TEXT), 'ada', 'eve') AS BLOB) WHERE instr(metadata, CAST('ada' AS BLOB))"
told 1
expect "ada of whole" "bob of whole" told
put "CREATE TEMP TABLE both AS SELECT * FROM items; UPDATE items SET (metadata, row_key, secret) = ($rows both WHERE both.row <> items.row)"
told 2
expect "" "" told
put "UPDATE items SET (metadata, row_key, secret) = ($rows other.items others WHERE others.row = items.row)"
expect "" "" told
put "DELETE FROM items WHERE row = (SELECT min(row) FROM items)"
expect "" "bob of whole" told

# Yesterday's file undoes later changes; the daemon reports that.
user cp "$folder/whole-db" "$folder/a-db"
control "it opens" open_keychain a
control "a change" equal "$(call a file-update ada ',"secret":"later"')" '{"status":0}'
control "it is there" equal "$(secret ada)" later
lock_keychain a
put ""
expect "ada of whole" "bob of whole" told
fails "no edit is believed, and each edit is reported"
