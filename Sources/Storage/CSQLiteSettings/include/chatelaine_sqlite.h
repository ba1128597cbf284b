#ifndef CHATELAINE_SQLITE_H
#define CHATELAINE_SQLITE_H

struct sqlite3;

/* sqlite3_db_config(), whose arguments vary so that Swift cannot call it: sets a switch of a connection. SQLite's result code; an error
   as well where the switch does not stand as asked afterwards. */
int chatelaine_sqlite_switch(struct sqlite3 *connection, int option, int on);

/* From now on every file that SQLite opens in this process is opened without waiting, and anything but a plain file or folder is refused
   (EINVAL): a pipe in a database's place would block for ever. SQLite's result code. */
int chatelaine_sqlite_open_carefully(void);

#endif
