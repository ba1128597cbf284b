#!/usr/bin/env bash
# Puts an old row back, removes a row, revives a deleted row, and replaces the store by yesterday's
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

store=$home/data/stores/default
columns=uuid,class,pdmn,sync,tomb,version,sequence,group_digest,unique_digest,pair,owner,place,label,tag,metadata_key,metadata,class_key,row_key,secret
# The files must belong to the user, who may not reach every python3 that root has.
sql() {
    python3 -c 'if True:
        import os, sqlite3, sys
        if os.getuid() == 0: os.setgroups([]), os.setgid(int(sys.argv[1])), os.setuid(int(sys.argv[1]))
        connection = sqlite3.connect(sys.argv[2], timeout=30)
        connection.execute("ATTACH ? AS old", [sys.argv[3]])
        connection.execute("SELECT count(*) FROM items").fetchall()
        connection.executescript(sys.argv[4])' "$ATTACK_USER" "$store/items.db" "$home/old.db" "$1"
}
item() { printf %s "$3" | user "$security" item "$1" -s mail -a "$2" --stdin >/dev/null; }
secret() { user "$security" item find -s mail -a "$1" --secret 2>/dev/null || true; }
is() { equal "$(secret "$1")" "$2"; }
# An unnoticed change is an attack that succeeds.
is_noticed() { ! user "$security" check >"$ATTACK_FOLDER/checked" 2>&1 && grep -q "$1" "$ATTACK_FOLDER/checked"; }
take_note() { user "$security" check --acknowledge >/dev/null 2>&1 || true; }
take_note_of() {
    is_noticed "$1" || { cat "$ATTACK_FOLDER/checked" && succeeds "$2 goes unnoticed"; }
    take_note
    user "$security" check >/dev/null 2>&1 || die "a check still reports a finding after its acknowledgement"
}

for account in ada bob cyd; do item add "$account" "old $account"; done
stop_daemons "$ATTACK_PREFIX"
# A daemon that a signal ends leaves its log.
sql "SELECT 1"
user cp "$store/items.db" "$home/old.db"
user cp -a "$store" "$home/yesterday"
item update ada "new ada"
user "$security" item delete -s mail -a bob >/dev/null
user "$security" check >/dev/null || die "a check reports a finding before any change"

for round in stopped running; do
    [ "$round" = running ] || stop_daemons "$ATTACK_PREFIX"
    sql "DELETE FROM items WHERE unique_digest IN (SELECT unique_digest FROM old.items);
        INSERT INTO items ($columns) SELECT $columns FROM old.items"
    control "the old row opens ($round)" await is ada "old ada"
    control "the deleted row is back ($round)" await is bob "old bob"
    take_note_of "not those that were written last" "a row that was put back ($round)"

    [ "$round" = running ] || stop_daemons "$ATTACK_PREFIX"
    sql "DELETE FROM items WHERE uuid = (SELECT uuid FROM items ORDER BY row LIMIT 1)"
    take_note_of "not those that were written last" "a row that was removed ($round)"

    item add "dan $round" "of $round"
    item update ada "new ada" 2>/dev/null || item add ada "new ada"
    user "$security" item delete -s mail -a bob >/dev/null 2>&1 || true
done

stop_daemons "$ATTACK_PREFIX"
rm -rf "$store"
user cp -a "$home/yesterday" "$store"
control "yesterday's store opens" await is ada "old ada"
take_note_of "may be missing" "yesterday's store"

stop_daemons "$ATTACK_PREFIX"
rm -f "$home/state/stores/default.mark"
take_note_of "may be missing" "a mark that was removed"

fails "each row that is put back or removed is noticed"
