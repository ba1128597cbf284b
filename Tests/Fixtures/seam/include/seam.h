#pragma once

#include <stddef.h>
#include <stdint.h>

/* The seam through which a test makes any system call on files fail.

   It has C functions with the names that the code under test calls. They are in the executable, where the dynamic
   linker finds them before those of the C library, for the code of this project and for SQLite.

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
    /* The call is made, and then reports a failure. */
    SEAM_AFTERWARDS,
    /* A read or write takes half of the bytes; other calls pass. */
    SEAM_SHORT,
    /* From this call on, every call that needs space fails, as on a full disk. */
    SEAM_ONWARDS,
};

/* The entries of the journal: successful calls that change files, and notes of the test. */
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
    /* The offset of a write, the new size of a truncation, or the number of a note. */
    int64_t offset;
    size_t size;
    const uint8_t *_Nullable bytes;
    const char *_Nullable path;
    const char *_Nullable other_path;
};

/* Starts to count calls about files below root, from 1; the call with the number target fails. */
void seam_arm(const char *_Nonnull root, uint64_t target, int manner, int code);
/* Lets calls pass uncounted until seam_resume. */
void seam_pause(void);
void seam_resume(void);
/* Lets all calls pass again, and returns the number of counted calls. */
uint64_t seam_disarm(void);
/* Whether the fault was injected; SEAM_SHORT only where there were bytes to cut. */
int seam_has_struck(void);
/* The name and path of the call with the fault. */
const char *_Nonnull seam_where(void);
/* The kind of a call counted since seam_arm. */
int seam_kind(uint64_t number);
/* The number of open descriptors of files below the root. */
int seam_open_count(void);

/* Starts an empty journal, or stops it. */
void seam_record(int is_recording);
void seam_note(int64_t number);
size_t seam_entry_count(void);
const struct seam_entry *_Nonnull seam_entry(size_t index);

/* Ends the process with this text if a round takes longer than seconds, or crashes. */
void seam_watch(unsigned seconds, const char *_Nonnull text);

/* From now on, a call on a file below the root that bypasses the seam ends the process with a message. This covers
   calls that open, read or change a file. */
int seam_forbid_others(void);
