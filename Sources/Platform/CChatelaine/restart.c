#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "chatelaine_process.h"
#include "chatelaine_sandbox.h"
#include "chatelaine_socket.h"

int chatelaine_has_no_new_privileges(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }

static int find_loader(struct dl_phdr_info *information, size_t size, void *result) {
    (void)size;
    for (int index = 0; index < information->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &information->dlpi_phdr[index];
        if (header->p_type == PT_INTERP) *(const char **)result = (const char *)information->dlpi_addr + header->p_vaddr;
    }
    /* The first object is the program itself; the others do not count. */
    return 1;
}

const char *chatelaine_program_loader(void) {
    const char *loader = NULL;
    (void)dl_iterate_phdr(find_loader, &loader);
    return loader;
}

void chatelaine_set_name(const char *name) { (void)prctl(PR_SET_NAME, name, 0, 0, 0); }

int chatelaine_environment_keep(const char *const names[]) {
    char *kept[32];
    size_t count = 0;
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (!value) continue;
        if (count == sizeof kept / sizeof kept[0]) {
            errno = E2BIG;
            return -1;
        }
        size_t size = strlen(*names) + strlen(value) + 2;
        kept[count] = malloc(size);
        if (!kept[count]) return -1;
        (void)stpcpy(stpcpy(stpcpy(kept[count], *names), "="), value);
        count++;
    }
    if (clearenv() != 0) return -1;
    /* putenv keeps the string itself: it lives as long as the process. */
    for (size_t index = 0; index < count; index++)
        if (putenv(kept[index]) != 0) return -1;
    return 0;
}

/* The sizes of a key, a small frame and a large one: each smaller than a block with a mapping of its own. */
static const size_t tried_sizes[] = {40, 1000, 20000};

int chatelaine_freed_memory_is_overwritten(void) {
    for (size_t index = 0; index < sizeof tried_sizes / sizeof tried_sizes[0]; index++) {
        size_t size = tried_sizes[index];
        char *block = malloc(size);
        /* The guard keeps the block from merging with the free memory behind it, which would be given back. */
        char *guard = malloc(size);
        if (!block || !guard) {
            free(block);
            free(guard);
            return 0;
        }
        memset(block, 0x3C, size);
        /* The pointer goes through an integer, so that the compiler keeps the bytes and does not know what is read
           below. */
        volatile uintptr_t place = (uintptr_t)block;
        __asm__ volatile("" : : "r"(block) : "memory");
        free(block);
        const volatile char *freed = (const volatile char *)place;
        /* The ends of a free block hold the allocator's own links, and its last word is not overwritten. */
        size_t left = 0;
        for (size_t offset = 16; offset < size - 8; offset++) left += freed[offset] == 0x3C;
        free(guard);
        if (left > 0) return 0;
    }
    return 1;
}

int chatelaine_execute_again(char *const arguments[]) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) return -1;
    path[length] = 0;
    return execv(path, arguments);
}

pid_t chatelaine_helper_fork(int shared, int *channel) {
    int pair[2];
    if (chatelaine_unix_socketpair(pair) != 0) return -1;
    pid_t pid = fork();
    if (pid != 0) {
        int error = errno;
        (void)close(pair[1]);
        if (pid < 0) (void)close(pair[0]);
        *channel = pair[0];
        errno = error;
        return pid;
    }
    /* Moves `shared` above the numbers that are assigned first. */
    int kept = shared < 0 ? -1 : fcntl(shared, F_DUPFD_CLOEXEC, 5);
    if (shared >= 0 && kept < 0) _exit(1);
    /* dup2 drops close-on-exec, which the caller's children must not inherit; equal numbers keep it. */
    if (pair[1] != 3 && dup3(pair[1], 3, O_CLOEXEC) < 0) _exit(1);
    if (kept >= 0 && dup3(kept, 4, O_CLOEXEC) < 0) _exit(1);
    chatelaine_close_from(kept >= 0 ? 5 : 4);
    *channel = 3;
    return 0;
}
