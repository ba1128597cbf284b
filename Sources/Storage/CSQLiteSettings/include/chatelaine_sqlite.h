#ifndef CHATELAINE_SQLITE_H
#define CHATELAINE_SQLITE_H

struct sqlite3;

/* Sets a switch of a connection by sqlite3_db_config(), which is variadic, so that Swift cannot call it. Returns
   SQLite's result code; an error, too, where the switch has another value afterwards. */
int chatelaine_sqlite_switch(struct sqlite3 *connection, int option, int on);

/* Makes SQLite open every later file of this process without waiting, and refuse anything but a plain file or folder
   (EINVAL): a pipe in a database's place would block for ever. Returns SQLite's result code. */
int chatelaine_sqlite_open_carefully(void);

/* Makes every later connection keep its log in the layer of joined_log.c. Returns SQLite's result code. */
int chatelaine_sqlite_layer_logs(void);

/* Makes a connection write the pages of a commit to its log at once, or stops that. It requires PRAGMA synchronous =
   FULL, since other connections look for the pages after each commit. Returns SQLite's result code; SQLITE_MISUSE without
   a log. */
int chatelaine_sqlite_join_log(struct sqlite3 *connection, int joins);

#endif
