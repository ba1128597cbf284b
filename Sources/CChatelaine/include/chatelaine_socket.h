#ifndef CHATELAINE_SOCKET_H
#define CHATELAINE_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Most descriptors that one message of ours carries; more are closed on receipt and reported. */
#define CHATELAINE_MAX_DESCRIPTORS 4

/* What arrived with one message besides its bytes. Descriptors are close-on-exec and belong to the caller. */
struct chatelaine_ancillary {
    int has_credentials;
    pid_t pid;
    uid_t uid;
    gid_t gid;
    /* A pidfd of the process that sent this very message (SCM_PIDFD), or -1. */
    int pidfd;
    int descriptors[CHATELAINE_MAX_DESCRIPTORS];
    int descriptor_count;
    /* More descriptors or control data came than fits: the message is not to be trusted. */
    int truncated;
};

/* Listening or connecting stream socket, close-on-exec. */
int chatelaine_unix_socket(void);
/* Close-on-exec pair of connected stream sockets. */
int chatelaine_unix_socketpair(int pair[2]);
/* Connects to, or binds, a path; ENAMETOOLONG where it does not fit sun_path. */
int chatelaine_unix_connect(int socket, const char *path);
/* Connects to the notification socket of sd_notify(3), where a leading @ means the abstract namespace. */
int chatelaine_unix_connect_notify(int socket, const char *path);
int chatelaine_unix_bind(int socket, const char *path);
/* Accepts with close-on-exec. */
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
/* Sends bytes, with at most CHATELAINE_MAX_DESCRIPTORS descriptors attached; never raises SIGPIPE. */
ssize_t chatelaine_send(int socket, const void *buffer, size_t size, const int *descriptors, int descriptor_count);
/* An empty anonymous file, close-on-exec. */
int chatelaine_memfd(const char *name);
/* pidfd_open(2). */
int chatelaine_pidfd_open(pid_t pid);

#endif
