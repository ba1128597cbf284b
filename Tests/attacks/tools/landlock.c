/* Runs a program in a Landlock domain, as sandboxes do. The program reaches the files that every program needs, and only the given temporary folders. */
#define _GNU_SOURCE
#include "attack.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The rights of the first version; every kernel with Landlock has them. */
static const uint64_t RIGHTS = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
static const uint64_t RIGHTS_OF_FILES = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE;

static int allow(int rules, const char *path) {
    struct stat status;
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    /* A folder that cannot be opened needs no rule: the program cannot reach it either. */
    if (rule.parent_fd < 0) return 0;
    int result = fstat(rule.parent_fd, &status);
    rule.allowed_access = S_ISDIR(status.st_mode) ? RIGHTS : RIGHTS_OF_FILES;
    if (result == 0) result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
    return result;
}

/* All folders at the root of the system except temporary ones. */
static int allow_system(int rules) {
    DIR *root = opendir("/");
    if (!root) return -1;
    int result = 0;
    for (struct dirent *entry; result == 0 && (entry = readdir(root));) {
        char path[sizeof entry->d_name + 1];
        snprintf(path, sizeof path, "/%s", entry->d_name);
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "tmp") != 0) result = allow(rules, path);
    }
    closedir(root);
    return result;
}

/* landlock FOLDER… -- PROGRAM WORD…: runs the program in such a domain; ends with 3 if the kernel has no Landlock. */
int verb_landlock(int count, char **words) {
    struct landlock_ruleset_attr domain = {.handled_access_fs = RIGHTS};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &domain, sizeof domain, 0), index = 0;
    if (rules < 0) return perror("landlock_create_ruleset"), 3;
    int result = allow_system(rules);
    for (; result == 0 && index < count && strcmp(words[index], "--") != 0; index++) result = allow(rules, words[index]);
    if (index + 1 >= count) return 2;
    if (result != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_landlock_restrict_self, rules, 0) != 0)
        return perror("landlock"), 1;
    execv(words[index + 1], words + index + 1);
    return perror(words[index + 1]), 1;
}
