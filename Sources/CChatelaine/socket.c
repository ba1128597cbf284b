#define _GNU_SOURCE
#include "chatelaine_socket.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* Debian 12's headers are older than these (Linux 6.5). */
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

int chatelaine_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int chatelaine_unix_socketpair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

static int fill_address(struct sockaddr_un *address, const char *path) {
    size_t length = strlen(path);
    if (length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length + 1);
    return 0;
}

int chatelaine_unix_connect(int socket, const char *path) {
    struct sockaddr_un address;
    if (fill_address(&address, path) != 0) return -1;
    return connect(socket, (struct sockaddr *)&address, sizeof address);
}

int chatelaine_unix_connect_notify(int socket, const char *path) {
    struct sockaddr_un address;
    if (fill_address(&address, path) != 0) return -1;
    if (path[0] != '@') return connect(socket, (struct sockaddr *)&address, sizeof address);
    address.sun_path[0] = 0;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    return connect(socket, (struct sockaddr *)&address, size);
}

int chatelaine_unix_bind(int socket, const char *path) {
    struct sockaddr_un address;
    if (fill_address(&address, path) != 0) return -1;
    return bind(socket, (struct sockaddr *)&address, sizeof address);
}

int chatelaine_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

static int switch_on(int socket, int option) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, option, &on, sizeof on);
}

int chatelaine_pass_credentials(int socket) { return switch_on(socket, SO_PASSCRED); }

int chatelaine_pass_pidfd(int socket) { return switch_on(socket, SO_PASSPIDFD); }

int chatelaine_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

static void take_descriptors(const struct cmsghdr *header, struct chatelaine_ancillary *ancillary) {
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < count; index++) {
        int descriptor;
        memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
        if (ancillary->descriptor_count < CHATELAINE_MAX_DESCRIPTORS) {
            ancillary->descriptors[ancillary->descriptor_count++] = descriptor;
        } else {
            (void)close(descriptor);
            ancillary->truncated = 1;
        }
    }
}

ssize_t chatelaine_receive(
    int socket, void *buffer, size_t size, int waits, struct chatelaine_ancillary *ancillary) {
    /* Room for one more descriptor than allowed, so that a surplus is seen rather than guessed. */
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * (CHATELAINE_MAX_DESCRIPTORS + 1)) + CMSG_SPACE(sizeof(struct ucred)) +
                   CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec piece = {.iov_base = buffer, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};

    memset(ancillary, 0, sizeof *ancillary);
    ancillary->pidfd = -1;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    if (received < 0) return received;
    if (message.msg_flags & MSG_CTRUNC) ancillary->truncated = 1;

    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        if (header->cmsg_type == SCM_RIGHTS) {
            take_descriptors(header, ancillary);
        } else if (header->cmsg_type == SCM_CREDENTIALS && header->cmsg_len >= CMSG_LEN(sizeof(struct ucred))) {
            struct ucred sender;
            memcpy(&sender, CMSG_DATA(header), sizeof sender);
            ancillary->has_credentials = 1;
            ancillary->pid = sender.pid;
            ancillary->uid = sender.uid;
            ancillary->gid = sender.gid;
        } else if (header->cmsg_type == SCM_PIDFD && header->cmsg_len >= CMSG_LEN(sizeof(int))) {
            memcpy(&ancillary->pidfd, CMSG_DATA(header), sizeof ancillary->pidfd);
        }
    }
    return received;
}

ssize_t chatelaine_send(int socket, const void *buffer, size_t size, const int *descriptors, int descriptor_count) {
    if (descriptor_count < 0 || descriptor_count > CHATELAINE_MAX_DESCRIPTORS) {
        errno = EINVAL;
        return -1;
    }
    if (descriptor_count == 0) return send(socket, buffer, size, MSG_NOSIGNAL);

    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * CHATELAINE_MAX_DESCRIPTORS)];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec piece = {.iov_base = (void *)buffer, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)descriptor_count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)descriptor_count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)descriptor_count);
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int chatelaine_memfd(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int chatelaine_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
