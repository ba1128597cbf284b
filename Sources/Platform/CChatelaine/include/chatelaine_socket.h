#ifndef CHATELAINE_SOCKET_H
#define CHATELAINE_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Most descriptors that one message of ours carries; more are closed on receipt and reported. */
#define CHATELAINE_MAX_DESCRIPTORS 4
/* Most that a look at a stranger's message makes: what fits beside the pidfd, whose room they take (unix(7)). */
#define CHATELAINE_MAX_SEEN 8

/* What arrived with one message besides its bytes. Descriptors are close-on-exec and belong to the caller. */
struct chatelaine_ancillary {
    int has_credentials;
    pid_t pid;
    uid_t uid;
    gid_t gid;
    /* A pidfd of the process that sent this very message (SCM_PIDFD), or -1. */
    int pidfd;
    int descriptors[CHATELAINE_MAX_SEEN];
    int descriptor_count;
    /* More descriptors or control data came than fits: the message is not to be trusted. */
    int truncated;
};

/* Listening or connecting stream socket, close-on-exec. */
int chatelaine_unix_socket(void);
/* Close-on-exec pair of connected stream sockets. */
int chatelaine_unix_socketpair(int pair[2]);
/* Connects to, or binds, a path; one that is too long for sun_path by way of its folder, which needs /proc. */
int chatelaine_unix_connect(int socket, const char *path);
/* Connects to the notification socket of sd_notify(3), where a leading @ means the abstract namespace. */
int chatelaine_unix_connect_notify(int socket, const char *path);
int chatelaine_unix_bind(int socket, const char *path);
/* Accepts with close-on-exec. Urgent bytes stay in line: read past, they would be let go of with what is attached to them. */
int chatelaine_accept(int listener);
/* Asks for SCM_CREDENTIALS with every message: SO_PASSCRED. */
int chatelaine_pass_credentials(int socket);
/* Asks for SCM_PIDFD with every message (Linux 6.5): SO_PASSPIDFD. */
int chatelaine_pass_pidfd(int socket);
/* Peer of a connected socket as it was when it connected: SO_PEERCRED. */
int chatelaine_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);
/* Receives bytes and fills `ancillary`; 0 at the end of the stream. Without `waits` it fails with EAGAIN where there are none. */
ssize_t chatelaine_receive(
    int socket, void *buffer, size_t size, int waits, struct chatelaine_ancillary *ancillary);
/* The same from a stranger, never waiting: what is attached to the bytes is looked at before they are taken out of the socket. Takes
   them in with nothing else, or with one descriptor that `is_harmless`, as chatelaine_is_sealed_memfd. With anything else it fails with EBADMSG: bytes
   and descriptors are still in the socket, and `ancillary` has copies of some, which closing may hold up. */
ssize_t chatelaine_receive_from_stranger(
    int socket, void *buffer, size_t size, int (*is_harmless)(int descriptor), struct chatelaine_ancillary *ancillary);
/* Sends bytes, with at most CHATELAINE_MAX_DESCRIPTORS descriptors attached; never raises SIGPIPE. Without `waits` it sends
   as many as there is room for, and fails with EAGAIN where there is none. */
ssize_t chatelaine_send(
    int socket, const void *buffer, size_t size, int waits, const int *descriptors, int descriptor_count);
/* Has the kernel refuse whatever descriptors the peer sends from now on: SO_PASSRIGHTS (Linux 6.16). */
int chatelaine_refuse_descriptors(int socket);
/* Has it let them through again; where the kernel cannot refuse them, they always come. */
int chatelaine_admit_descriptors(int socket);
/* What is to be read: 1 for bytes, 0 for the end, -1 with EAGAIN for nothing yet. Takes and makes nothing. */
int chatelaine_peek(int socket);
/* An empty anonymous file, close-on-exec. */
int chatelaine_memfd(const char *name);
/* One that nobody can change. */
int chatelaine_sealed_memfd(const char *name);
/* The same with these bytes in it. */
int chatelaine_sealed_memfd_holding(const char *name, const void *bytes, size_t size);
/* The same with so many bytes of another file, which the kernel copies: they never come into this process. */
int chatelaine_sealed_memfd_copy(const char *name, int file, size_t size);
/* Whether it is an anonymous file that nobody can change. Closing any other may wait for who made it, and so may asking any
   other question about it. */
int chatelaine_is_sealed_memfd(int descriptor);
/* pidfd_open(2). */
int chatelaine_pidfd_open(pid_t pid);

#endif
