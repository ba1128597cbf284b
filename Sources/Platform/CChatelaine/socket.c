#define _GNU_SOURCE
#include "chatelaine_socket.h"

#include "chatelaine_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* Debian 12's headers lack these constants (Linux 6.5). */
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif
/* asm-generic/socket.h of Linux 6.16. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int chatelaine_unix_socket(void) { return chatelaine_above_standard(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

int chatelaine_unix_socketpair(int pair[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    pair[0] = chatelaine_above_standard(pair[0]);
    pair[1] = chatelaine_above_standard(pair[1]);
    if (pair[0] >= 0 && pair[1] >= 0) return 0;
    int error = errno;
    for (int end = 0; end < 2; end++)
        if (pair[end] >= 0) (void)close(pair[end]);
    errno = error;
    return -1;
}

/* An address, and the folder to which it is relative; -1 where it needs none. */
struct reachable {
    struct sockaddr_un address;
    int folder;
};

/* unix(7) has room for a path of 108 bytes. A longer path is reached through a descriptor of its folder, whose name in
   /proc is short. */
static int shorten(struct reachable *place, const char *path) {
    const char *slash = strrchr(path, '/');
    char parent[PATH_MAX];
    if (!slash || slash == path || (size_t)(slash - path) >= sizeof parent) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = 0;
    place->folder = chatelaine_above_standard(open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (place->folder < 0) return -1;
    size_t room = sizeof place->address.sun_path;
    int length = snprintf(place->address.sun_path, room, "/proc/self/fd/%d/%s", place->folder, slash + 1);
    if (length >= 0 && (size_t)length < room) return 0;
    (void)close(place->folder);
    errno = ENAMETOOLONG;
    return -1;
}

static int reach(struct reachable *place, const char *path) {
    size_t length = strlen(path);
    memset(place, 0, sizeof *place);
    place->address.sun_family = AF_UNIX;
    place->folder = -1;
    if (length >= sizeof place->address.sun_path) return shorten(place, path);
    memcpy(place->address.sun_path, path, length + 1);
    return 0;
}

/* Closes the folder and keeps the error of the call that used it. */
static int leave(struct reachable *place, int result) {
    int error = errno;
    if (place->folder >= 0) (void)close(place->folder);
    errno = error;
    return result;
}

/* A full queue of a listener is waited for as long as a message may be sent (unix(7)). */
static int limit_sending(int socket, int seconds) {
    struct timeval limit = {.tv_sec = seconds};
    return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

int chatelaine_unix_connect(int socket, const char *path) {
    struct reachable place;
    if (reach(&place, path) != 0) return -1;
    int result = limit_sending(socket, CHATELAINE_CONNECT_SECONDS);
    if (result == 0) result = connect(socket, (struct sockaddr *)&place.address, sizeof place.address);
    if (result == 0) result = limit_sending(socket, 0);
    return leave(&place, result);
}

int chatelaine_unix_connect_notify(int socket, const char *path) {
    if (path[0] != '@') return chatelaine_unix_connect(socket, path);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length > sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    address.sun_path[0] = 0;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    return connect(socket, (struct sockaddr *)&address, size);
}

int chatelaine_unix_bind(int socket, const char *path) {
    struct reachable place;
    if (reach(&place, path) != 0) return -1;
    return leave(&place, bind(socket, (struct sockaddr *)&place.address, sizeof place.address));
}

static int set_option(int socket, int option, int value) {
    return setsockopt(socket, SOL_SOCKET, option, &value, sizeof value);
}

int chatelaine_accept(int listener) {
    int socket = chatelaine_above_standard(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
    if (socket >= 0) (void)set_option(socket, SO_OOBINLINE, 1);
    return socket;
}

int chatelaine_pass_credentials(int socket) { return set_option(socket, SO_PASSCRED, 1); }

int chatelaine_pass_pidfd(int socket) { return set_option(socket, SO_PASSPIDFD, 1); }

int chatelaine_refuse_descriptors(int socket) { return set_option(socket, SO_PASSRIGHTS, 0); }

int chatelaine_admit_descriptors(int socket) { return set_option(socket, SO_PASSRIGHTS, 1); }

int chatelaine_peek(int socket) {
    char byte;
    return (int)recv(socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
}

int chatelaine_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

static void take_descriptors(const struct cmsghdr *header, int most, struct chatelaine_ancillary *ancillary) {
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < count; index++) {
        int descriptor;
        memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
        if (ancillary->descriptor_count < most) {
            ancillary->descriptors[ancillary->descriptor_count++] = descriptor;
        } else {
            (void)close(descriptor);
            ancillary->truncated = 1;
        }
    }
}

static void take_control(struct msghdr *message, int most, struct chatelaine_ancillary *ancillary) {
    if (message->msg_flags & MSG_CTRUNC) ancillary->truncated = 1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        if (header->cmsg_type == SCM_RIGHTS) {
            take_descriptors(header, most, ancillary);
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
}

ssize_t chatelaine_receive(
    int socket, void *buffer, size_t size, int waits, struct chatelaine_ancillary *ancillary) {
    /* Room for one descriptor more than allowed, so that a surplus is seen and not guessed. */
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
    take_control(&message, CHATELAINE_MAX_DESCRIPTORS, ancillary);
    return received;
}

ssize_t chatelaine_receive_from_stranger(
    int socket, void *buffer, size_t size, int (*is_harmless)(int), struct chatelaine_ancillary *ancillary) {
    /* Room for credentials, one descriptor and the pidfd. With more descriptors the pidfd has no room, and the look
       notices that. */
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + 2 * CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec piece = {.iov_base = buffer, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};

    memset(ancillary, 0, sizeof *ancillary);
    ancillary->pidfd = -1;
    ssize_t seen = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (seen <= 0) return seen;
    take_control(&message, CHATELAINE_MAX_SEEN, ancillary);
    int isHarmless = !ancillary->truncated && ancillary->descriptor_count <= 1;
    for (int index = 0; index < ancillary->descriptor_count; index++)
        if (!is_harmless(ancillary->descriptors[index])) isHarmless = 0;
    if (!isHarmless) {
        errno = EBADMSG;
        return -1;
    }
    /* Takes exactly the bytes that were seen, since later bytes may have anything attached. Without room for
       descriptors the kernel closes the one that came, which is a harmless file. */
    ssize_t taken;
    do {
        taken = recv(socket, buffer, (size_t)seen, MSG_DONTWAIT);
    } while (taken < 0 && errno == EINTR);
    return taken;
}

ssize_t chatelaine_send(
    int socket, const void *buffer, size_t size, int waits, const int *descriptors, int descriptor_count) {
    int flags = MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT);
    if (descriptor_count < 0 || descriptor_count > CHATELAINE_MAX_DESCRIPTORS) {
        errno = EINVAL;
        return -1;
    }
    if (descriptor_count == 0) return send(socket, buffer, size, flags);

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
    return sendmsg(socket, &message, flags);
}

/* A file on a file system in memory has F_SEAL_SEAL and can get no further seal, so only an anonymous file has these
   three. */
static const int unchangeable = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

int chatelaine_memfd(const char *name) { return chatelaine_above_standard(memfd_create(name, MFD_CLOEXEC)); }

int chatelaine_sealed_memfd(const char *name) { return chatelaine_sealed_memfd_holding(name, NULL, 0); }

static int sealable_memfd(const char *name) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    /* Linux before 6.3 does not know MFD_NOEXEC_SEAL. */
    if (file < 0 && errno == EINVAL) file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return chatelaine_above_standard(file);
}

/* Seals a file if as many bytes were written as wanted; otherwise closes it. */
static int seal(int file, ssize_t written, size_t size) {
    /* A file in memory takes all bytes or, where memory is exhausted, fewer. */
    if (written >= 0 && (size_t)written < size) errno = ENOMEM;
    if (written == (ssize_t)size && fcntl(file, F_ADD_SEALS, unchangeable) == 0) return file;
    int error = errno;
    (void)close(file);
    errno = error;
    return -1;
}

int chatelaine_sealed_memfd_holding(const char *name, const void *bytes, size_t size) {
    int file = sealable_memfd(name);
    if (file < 0) return file;
    return seal(file, size > 0 ? pwrite(file, bytes, size, 0) : 0, size);
}

int chatelaine_sealed_memfd_copy(const char *name, int source, size_t size) {
    int file = sealable_memfd(name);
    if (file < 0) return file;
    return seal(file, sendfile(file, source, NULL, size), size);
}

int chatelaine_is_sealed_memfd(int descriptor) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & unchangeable) == unchangeable;
}

int chatelaine_pidfd_open(pid_t pid) {
    return chatelaine_above_standard((int)syscall(SYS_pidfd_open, pid, 0));
}
