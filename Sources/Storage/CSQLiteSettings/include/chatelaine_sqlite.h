#ifndef CHATELAINE_SQLITE_H
#define CHATELAINE_SQLITE_H

struct sqlite3;

/* sqlite3_db_config(), whose arguments vary so that Swift cannot call it: sets a switch of a connection. SQLite's result code; an error
   as well where the switch does not stand as asked afterwards. */
int chatelaine_sqlite_switch(struct sqlite3 *connection, int option, int on);

/* From now on every file that SQLite opens in this process is opened without waiting, and anything but a plain file or folder is refused
   (EINVAL): a pipe in a database's place would block for ever. SQLite's result code. */
int chatelaine_sqlite_open_carefully(void);

/* Has every connection that is opened from now on keep its log in a layer of ours (joined_log.c). SQLite's result code. */
int chatelaine_sqlite_layer_logs(void);

/* From now on a connection writes the pages of a commit to its log at once, or does not: it may where PRAGMA synchronous = FULL stands, since
   others look for the pages after each commit. SQLite's result code; SQLITE_MISUSE where it has no log. */
int chatelaine_sqlite_join_log(struct sqlite3 *connection, int joins);

#endif
