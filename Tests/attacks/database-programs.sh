#!/usr/bin/env bash
# Writes SQL triggers into the database: one drops added items, and one restores old secrets
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

database=$home/data/stores/default/items.db
# The files must belong to the user, who may not reach every python3 that root has.
sql() {
    python3 -c 'if True:
        import os, sqlite3, sys
        if os.getuid() == 0: os.setgroups([]), os.setgid(int(sys.argv[1])), os.setuid(int(sys.argv[1]))
        connection = sqlite3.connect(sys.argv[2], timeout=30)
        connection.executescript(sys.argv[3])
        print(*connection.execute(sys.argv[4]).fetchall())' "$ATTACK_USER" "$@"
}
drop="CREATE TRIGGER quiet BEFORE INSERT ON items BEGIN SELECT RAISE(IGNORE); END"
keep="CREATE TRIGGER stale AFTER UPDATE ON items BEGIN UPDATE items SET version = OLD.version, metadata = OLD.metadata,
    secret = OLD.secret, row_key = OLD.row_key WHERE row = OLD.row; END"

copy=$ATTACK_FOLDER/unprotected.db
rm -f "$copy"
chmod 777 "$ATTACK_FOLDER"
control "the trigger drops rows of an unprotected database" \
    equal "$(sql "$copy" "CREATE TABLE items (row); $drop; INSERT INTO items VALUES (1)" "SELECT count(*) FROM items")" "(0,)"

tool_add first >/dev/null
control "the item is there" equal "$(tool_find)" first
for round in running stopped; do
    [ "$round" = running ] || stop_daemons "$ATTACK_PREFIX"
    sql "$database" "$drop" "SELECT 1" >/dev/null
    printf %s "$round" | user "$security" item add -s "$round" -a ada --stdin >/dev/null
    stop_daemons "$ATTACK_PREFIX"
    [ "$(user "$security" item find -s "$round" -a ada --secret 2>&1)" = "$round" ] || succeeds "an acknowledged item is gone ($round)"

    [ "$round" = running ] || stop_daemons "$ATTACK_PREFIX"
    sql "$database" "$keep" "SELECT 1" >/dev/null
    tool_update "new-$round" >/dev/null
    stop_daemons "$ATTACK_PREFIX"
    [ "$(tool_find)" = "new-$round" ] || succeeds "an acknowledged change is undone ($round)"
done
fails "no trigger runs, and the items move into a database without triggers"
