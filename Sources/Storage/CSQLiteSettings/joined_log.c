/*
 * A layer above SQLite's files (sqlite.org/vfs.html) that writes the pages of a commit to the log at once.
 *
 * SQLite writes each page of its log by two calls, the header of 24 bytes and the page, which straddle the pages of the
 * file system. A commit of fifteen pages is thirty calls, and they cost as much as the sync that follows. This layer
 * joins the writes until the next read, sync, size query or truncation, which sees the complete file.
 *
 * No other process looks for a page of the log before the index of the log names it. With PRAGMA synchronous = FULL
 * that is after the sync. So the layer joins a log only where its connection promises that setting
 * (chatelaine_sqlite_join_log).
 */
#include "chatelaine_sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/*
 * The buffer has thirty pages, twice an ordinary commit; a larger commit is written in pieces of that size. SQLite's
 * own files use only the lower 17 bits of a size, and report a full disk where those are 0.
 */
enum { BUFFER_BYTES = 30 * (24 + 4096) };

typedef struct {
    sqlite3_file base;
    sqlite3_file *file; /* SQLite's own file, which follows this one in the same memory */
    int joins;
    unsigned char *buffer;
    int length;
    sqlite3_int64 start;
} log_file;

static sqlite3_vfs *own(sqlite3_vfs *vfs) { return (sqlite3_vfs *)vfs->pAppData; }

/* Writes the joined bytes. If that fails they are dropped: the transaction that wrote them fails, too. */
static int flush(log_file *log) {
    int length = log->length;
    log->length = 0;
    return length ? log->file->pMethods->xWrite(log->file, log->buffer, length, log->start) : SQLITE_OK;
}

/* Joined bytes that were not synced belong to a transaction that was not committed. */
static int log_close(sqlite3_file *file) {
    log_file *log = (log_file *)file;
    (void)flush(log);
    free(log->buffer);
    log->buffer = NULL;
    return log->file->pMethods->xClose(log->file);
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    return code == SQLITE_OK ? log->file->pMethods->xRead(log->file, bytes, count, offset) : code;
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    log_file *log = (log_file *)file;
    if (log->length && (offset != log->start + log->length || count > BUFFER_BYTES - log->length)) {
        int code = flush(log);
        if (code != SQLITE_OK) return code;
    }
    if (!log->joins || count > BUFFER_BYTES) return log->file->pMethods->xWrite(log->file, bytes, count, offset);
    if (!log->length) log->start = offset;
    memcpy(log->buffer + log->length, bytes, (size_t)count);
    log->length += count;
    return SQLITE_OK;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    return code == SQLITE_OK ? log->file->pMethods->xTruncate(log->file, size) : code;
}

static int log_sync(sqlite3_file *file, int flags) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    return code == SQLITE_OK ? log->file->pMethods->xSync(log->file, flags) : code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    return code == SQLITE_OK ? log->file->pMethods->xFileSize(log->file, size) : code;
}

static int log_lock(sqlite3_file *file, int kind) {
    log_file *log = (log_file *)file;
    return log->file->pMethods->xLock(log->file, kind);
}

static int log_unlock(sqlite3_file *file, int kind) {
    log_file *log = (log_file *)file;
    return log->file->pMethods->xUnlock(log->file, kind);
}

static int log_reserved(sqlite3_file *file, int *answer) {
    log_file *log = (log_file *)file;
    return log->file->pMethods->xCheckReservedLock(log->file, answer);
}

static int log_control(sqlite3_file *file, int operation, void *argument) {
    log_file *log = (log_file *)file;
    return log->file->pMethods->xFileControl(log->file, operation, argument);
}

static int log_sector(sqlite3_file *file) {
    log_file *log = (log_file *)file;
    return log->file->pMethods->xSectorSize(log->file);
}

static int log_device(sqlite3_file *file) {
    log_file *log = (log_file *)file;
    return log->file->pMethods->xDeviceCharacteristics(log->file);
}

/* Version 1: a log has no shared memory, and is not mapped. */
static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_device,
};

/* Opens a log in this layer; SQLite's own files serve every other file. */
static int joined_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *granted) {
    if (!(flags & SQLITE_OPEN_WAL)) return own(vfs)->xOpen(own(vfs), name, file, flags, granted);
    log_file *log = (log_file *)file;
    memset(log, 0, sizeof *log);
    log->file = (sqlite3_file *)(log + 1);
    int code = own(vfs)->xOpen(own(vfs), name, log->file, flags, granted);
    /* Without methods SQLite does not close the file. */
    if (log->file->pMethods) log->base.pMethods = &log_methods;
    return code;
}

static int joined_delete(sqlite3_vfs *vfs, const char *name, int syncs) { return own(vfs)->xDelete(own(vfs), name, syncs); }

static int joined_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    return own(vfs)->xAccess(own(vfs), name, flags, answer);
}

static int joined_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    return own(vfs)->xFullPathname(own(vfs), name, size, path);
}

static int joined_random(sqlite3_vfs *vfs, int count, char *bytes) { return own(vfs)->xRandomness(own(vfs), count, bytes); }

static int joined_sleep(sqlite3_vfs *vfs, int microseconds) { return own(vfs)->xSleep(own(vfs), microseconds); }

static int joined_time(sqlite3_vfs *vfs, double *time) { return own(vfs)->xCurrentTime(own(vfs), time); }

static int joined_error(sqlite3_vfs *vfs, int size, char *text) { return own(vfs)->xGetLastError(own(vfs), size, text); }

static int joined_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return own(vfs)->xCurrentTimeInt64(own(vfs), time);
}

/* The layer loads no libraries, and system calls are set in SQLite's own layer. */
static sqlite3_vfs joined = {
    .iVersion = 2,
    .zName = "chatelaine",
    .xOpen = joined_open,
    .xDelete = joined_delete,
    .xAccess = joined_access,
    .xFullPathname = joined_path,
    .xRandomness = joined_random,
    .xSleep = joined_sleep,
    .xCurrentTime = joined_time,
    .xGetLastError = joined_error,
    .xCurrentTimeInt64 = joined_milliseconds,
};

int chatelaine_sqlite_layer_logs(void) {
    sqlite3_vfs *files = sqlite3_vfs_find("unix");
    if (!files || files->iVersion < 2) return SQLITE_ERROR;
    joined.pAppData = files;
    joined.mxPathname = files->mxPathname;
    joined.szOsFile = (int)sizeof(log_file) + files->szOsFile;
    return sqlite3_vfs_register(&joined, 1);
}

int chatelaine_sqlite_join_log(struct sqlite3 *connection, int joins) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || file->pMethods != &log_methods) return SQLITE_MISUSE;
    log_file *log = (log_file *)file;
    log->joins = 0;
    code = flush(log);
    if (code != SQLITE_OK || !joins) return code;
    /* Without this property SQLite pads the log beyond the bytes that it syncs. */
    if (!(log_device(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE)) return SQLITE_OK;
    if (!log->buffer) log->buffer = malloc(BUFFER_BYTES);
    if (!log->buffer) return SQLITE_NOMEM;
    log->joins = 1;
    return SQLITE_OK;
}
