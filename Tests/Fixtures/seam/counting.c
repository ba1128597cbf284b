#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct seam_state seam;

/* ---- Calls that count ---- */

int seam_is_below(const char *path) {
    return seam.root_length > 0 && strncmp(path, seam.root, seam.root_length) == 0 &&
           (path[seam.root_length] == '/' || path[seam.root_length] == 0);
}

uint64_t seam_serial(int descriptor) {
    return descriptor >= 0 && descriptor < most_descriptors ? seam.serials[descriptor] : 0;
}

int seam_is_ours(int folder, const char *path) { return path[0] == '/' ? seam_is_below(path) : seam_serial(folder) != 0; }

static int needs_room(int kind) {
    return kind == SEAM_WRITE || kind == SEAM_MAKE_FOLDER || kind == SEAM_RENAME || kind == SEAM_LINK || kind == SEAM_TRUNCATE;
}

void seam_mark(const char *name, const char *path, int descriptor) {
    char link[64], target[512] = "";
    if (path == NULL && descriptor >= 0) {
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        if (syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1) < 0) target[0] = 0;
        path = target;
    }
    (void)snprintf(seam.where, sizeof seam.where, "%s %s", name, path == NULL ? "" : path);
    seam.has_struck = 1;
}

/* Counts a call, and returns the manner in which it has to fail, or SEAM_NONE. */
int seam_enter(int kind, const char *name, const char *path, int descriptor) {
    if (!seam.is_armed) return SEAM_NONE;
    seam.count++;
    if (seam.count < most_kinds) seam.kinds[seam.count] = (uint8_t)kind;
    int strikes = seam.manner == SEAM_ONWARDS ? seam.count >= seam.target && needs_room(kind)
                                              : seam.count == seam.target && seam.manner != SEAM_NONE;
    if (!strikes) return SEAM_NONE;
    if (seam.manner == SEAM_SHORT) return kind == SEAM_READ || kind == SEAM_WRITE ? SEAM_SHORT : SEAM_NONE;
    if (!seam.has_struck) seam_mark(name, path, descriptor);
    return seam.manner == SEAM_ONWARDS ? SEAM_INSTEAD : seam.manner;
}

long seam_failed(void) {
    errno = seam.code;
    return -1;
}

/* ---- The journal ---- */

struct seam_entry *seam_append(int event, uint64_t first) {
    if (!seam.is_armed || !seam.is_recording) return NULL;
    if (seam.entry_count == seam.entry_room) {
        seam.entry_room = seam.entry_room * 2 + 256;
        seam.entries = realloc(seam.entries, seam.entry_room * sizeof *seam.entries);
        if (seam.entries == NULL) abort();
    }
    struct seam_entry *entry = &seam.entries[seam.entry_count++];
    memset(entry, 0, sizeof *entry);
    entry->event = event;
    entry->first = first;
    return entry;
}

void seam_journal_paths(int event, uint64_t first, const char *path, uint64_t second, const char *other, int flags) {
    int kept = errno;
    struct seam_entry *entry = seam_append(event, first);
    if (entry != NULL) {
        entry->second = second;
        entry->flags = flags;
        entry->path = strdup(path);
        entry->other_path = other == NULL ? NULL : strdup(other);
    }
    errno = kept;
}

void seam_journal_write(int descriptor, const void *bytes, size_t size, int64_t offset) {
    int kept = errno;
    struct seam_entry *entry = seam_append(SEAM_DID_WRITE, seam_serial(descriptor));
    if (entry != NULL) {
        uint8_t *copy = malloc(size + 1);
        if (copy == NULL) abort();
        memcpy(copy, bytes, size);
        entry->bytes = copy;
        entry->size = size;
        entry->offset = offset;
    }
    errno = kept;
}

void seam_arm(const char *root, uint64_t target, int manner, int code) {
    (void)snprintf(seam.root, sizeof seam.root, "%s", root);
    seam.root_length = strlen(seam.root);
    seam.count = 0;
    seam.target = target;
    seam.manner = manner;
    seam.code = code;
    seam.has_struck = 0;
    seam.where[0] = 0;
    seam.is_armed = 1;
}

void seam_pause(void) { seam.is_armed = 0; }
void seam_resume(void) { seam.is_armed = 1; }

uint64_t seam_disarm(void) {
    seam.is_armed = 0;
    seam.is_recording = 0;
    seam.manner = SEAM_NONE;
    return seam.count;
}

int seam_has_struck(void) { return seam.has_struck; }
const char *seam_where(void) { return seam.where; }
int seam_kind(uint64_t number) { return number < most_kinds ? seam.kinds[number] : 0; }
int seam_open_count(void) { return seam.open_count; }

void seam_record(int is_recording) {
    for (size_t index = 0; is_recording && index < seam.entry_count; index++) {
        free((void *)seam.entries[index].bytes);
        free((void *)seam.entries[index].path);
        free((void *)seam.entries[index].other_path);
    }
    if (is_recording) seam.entry_count = 0;
    seam.is_recording = is_recording;
}

void seam_note(int64_t number) {
    struct seam_entry *entry = seam_append(SEAM_NOTE, 0);
    if (entry != NULL) entry->offset = number;
}

size_t seam_entry_count(void) { return seam.entry_count; }
const struct seam_entry *seam_entry(size_t index) { return &seam.entries[index]; }

/* ---- Rounds that fail ---- */

static char round_text[512];

static void report(int number) {
    char text[1800];
    int length = snprintf(
        text, sizeof text, "problem: %s: signal %d%s, struck: %s\n", round_text, number,
        number == SIGALRM ? " (it hangs)" : "", seam.has_struck ? seam.where : "nothing");
    (void)syscall(SYS_write, 1, text, (size_t)length);
    _exit(3);
}

void seam_watch(unsigned seconds, const char *text) {
    static const int signals[] = {SIGALRM, SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
    if (round_text[0] == 0)
        for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++)
            (void)signal(signals[index], report);
    (void)snprintf(round_text, sizeof round_text, "%s", text);
    (void)alarm(seconds);
}
