#ifndef CHATELAINE_SOCKET_H
#define CHATELAINE_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The most descriptors in one message of ours; further ones are closed on receipt and reported. */
#define CHATELAINE_MAX_DESCRIPTORS 4
/* The most descriptors that a look at a stranger's message receives: as many as fit into the room of one descriptor
   and the pidfd (unix(7)). */
#define CHATELAINE_MAX_SEEN 8

/* What came with one message besides its bytes. The descriptors are close-on-exec and belong to the caller. */
struct chatelaine_ancillary {
    int has_credentials;
    pid_t pid;
    uid_t uid;
    gid_t gid;
    /* A pidfd of the process that sent this message (SCM_PIDFD), or -1. */
    int pidfd;
    int descriptors[CHATELAINE_MAX_SEEN];
    int descriptor_count;
    /* Whether more descriptors or control data came than fit: the message must not be trusted. */
    int truncated;
};

/* A stream socket to listen or connect with, close-on-exec. */
int chatelaine_unix_socket(void);
/* A close-on-exec pair of connected stream sockets. */
int chatelaine_unix_socketpair(int pair[2]);
/* The seconds that a connection waits for a place in the listener's queue. One that accepts takes far less. */
#define CHATELAINE_CONNECT_SECONDS 10
/* Connects to a path, or binds it. A path too long for sun_path is reached through its folder, which needs /proc.
   Fails with EAGAIN where a listener accepts nobody. */
int chatelaine_unix_connect(int socket, const char *path);
/* Connects to the notification socket of sd_notify(3), where a leading @ means the abstract namespace. */
int chatelaine_unix_connect_notify(int socket, const char *path);
int chatelaine_unix_bind(int socket, const char *path);
/* Accepts with close-on-exec. Urgent bytes stay in line: skipping them would release the descriptors attached to them
   unseen. */
int chatelaine_accept(int listener);
/* Asks for SCM_CREDENTIALS with every message: SO_PASSCRED. */
int chatelaine_pass_credentials(int socket);
/* Asks for SCM_PIDFD with every message (Linux 6.5): SO_PASSPIDFD. */
int chatelaine_pass_pidfd(int socket);
/* The peer of a connected socket, as it was at the time of connecting: SO_PEERCRED. */
int chatelaine_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);
/* Receives bytes and fills `ancillary`; 0 at the end of the stream. Without `waits` it fails with EAGAIN where no bytes
   are there. */
ssize_t chatelaine_receive(
    int socket, void *buffer, size_t size, int waits, struct chatelaine_ancillary *ancillary);
/* Receives bytes from a stranger, without waiting, after a look at what is attached to them. It accepts bytes with
   nothing attached, or with one descriptor for which `is_harmless` holds, such as chatelaine_is_sealed_memfd. Otherwise
   it fails with EBADMSG: bytes and descriptors are still in the socket, and `ancillary` has copies of some descriptors,
   whose closing may block. */
ssize_t chatelaine_receive_from_stranger(
    int socket, void *buffer, size_t size, int (*is_harmless)(int descriptor), struct chatelaine_ancillary *ancillary);
/* Sends bytes, with at most CHATELAINE_MAX_DESCRIPTORS descriptors attached; never raises SIGPIPE. Without `waits` it
   sends as many bytes as there is room for, and fails with EAGAIN where there is none. */
ssize_t chatelaine_send(
    int socket, const void *buffer, size_t size, int waits, const int *descriptors, int descriptor_count);
/* Has the kernel refuse all descriptors that the peer sends from now on: SO_PASSRIGHTS (Linux 6.16). */
int chatelaine_refuse_descriptors(int socket);
/* Has the kernel accept descriptors again; a kernel that cannot refuse them always accepts them. */
int chatelaine_admit_descriptors(int socket);
/* What can be read: 1 for bytes, 0 for the end, -1 with EAGAIN for nothing yet. Takes nothing from the socket and makes
   no descriptor. */
int chatelaine_peek(int socket);
/* An empty anonymous file, close-on-exec. */
int chatelaine_memfd(const char *name);
/* An empty anonymous file that nobody can change. */
int chatelaine_sealed_memfd(const char *name);
/* An anonymous file that holds these bytes and that nobody can change. */
int chatelaine_sealed_memfd_holding(const char *name, const void *bytes, size_t size);
/* An anonymous file that nobody can change, with so many bytes of another file. The kernel copies them: they never come
   into this process. */
int chatelaine_sealed_memfd_copy(const char *name, int file, size_t size);
/* Whether the descriptor is an anonymous file that nobody can change. Closing any other file, or any other question
   about it, may wait for its maker. */
int chatelaine_is_sealed_memfd(int descriptor);
/* pidfd_open(2). */
int chatelaine_pidfd_open(pid_t pid);

#endif
