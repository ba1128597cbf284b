#pragma once

#include <stddef.h>
#include <stdint.h>

/* The one seam through which a test makes any system call on files fail: C functions of the names that the code under test
   calls, in the executable itself, where the dynamic linker finds them before those of the C library. They serve the code
   of this project and SQLite alike.

   Only calls about files below the root count, and only between seam_arm and seam_disarm; all others pass. The code under
   test runs on one thread. */

enum seam_call {
    SEAM_OPEN = 1,
    SEAM_CLOSE,
    SEAM_READ,
    SEAM_WRITE,
    SEAM_SYNC,
    SEAM_TRUNCATE,
    SEAM_RENAME,
    SEAM_LINK,
    SEAM_REMOVE,
    SEAM_MAKE_FOLDER,
    SEAM_STATUS,
    SEAM_LIST,
    SEAM_LOCK,
    SEAM_MAP,
    SEAM_OTHER,
};

enum seam_manner {
    SEAM_NONE = 0,
    /* The call is not made, and fails. */
    SEAM_INSTEAD,
    /* The call is made, and says that it failed. */
    SEAM_AFTERWARDS,
    /* A read or write takes half of the bytes; other calls pass. */
    SEAM_SHORT,
    /* From this call on every one that needs room fails, as on a full disk. */
    SEAM_ONWARDS,
};

/* What is journalled: calls that change files and succeeded, and notes of the test's own. */
enum seam_event {
    /* first: the descriptor's number in the journal; second: that of the folder that path is relative to, or 0 */
    SEAM_DID_OPEN = 1,
    SEAM_DID_WRITE,
    SEAM_DID_TRUNCATE,
    SEAM_DID_SYNC,
    SEAM_DID_RENAME,
    SEAM_DID_LINK,
    SEAM_DID_REMOVE,
    SEAM_DID_MAKE_FOLDER,
    SEAM_NOTE,
};

struct seam_entry {
    int32_t event;
    int32_t flags;
    uint64_t first;
    uint64_t second;
    /* Where it begins, or the new size; the number of a note. */
    int64_t offset;
    size_t size;
    const uint8_t *_Nullable bytes;
    const char *_Nullable path;
    const char *_Nullable other_path;
};

/* From now on calls about files below root count from 1, and the one of number target fails. */
void seam_arm(const char *_Nonnull root, uint64_t target, int manner, int code);
/* Calls pass and do not count for a while. */
void seam_pause(void);
void seam_resume(void);
/* All calls pass again; the number of those that counted. */
uint64_t seam_disarm(void);
/* Whether the fault was injected; a short one only where there was something to cut. */
int seam_has_struck(void);
/* The name and path of the call that it struck. */
const char *_Nonnull seam_where(void);
/* The kind of each call that counted since seam_arm. */
int seam_kind(uint64_t number);
/* Open descriptors of files below the root. */
int seam_open_count(void);

/* Journals from now on, from an empty journal. */
void seam_record(int is_recording);
void seam_note(int64_t number);
size_t seam_entry_count(void);
const struct seam_entry *_Nonnull seam_entry(size_t index);

/* A round that takes so long, or crashes the process, is told of by this text; the process ends then. */
void seam_watch(unsigned seconds, const char *_Nonnull text);

/* From now on a call that opens, reads or changes a file below the root and does not come through here ends the process
   with a line that says so. */
int seam_forbid_others(void);
