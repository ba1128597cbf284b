#ifndef CHATELAINE_FETCH_H
#define CHATELAINE_FETCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// What became of a fetch.
enum chatelaine_fetch_outcome {
    CHATELAINE_FETCHED = 0,
    CHATELAINE_FETCH_UNSUITABLE_URL = 1,
    CHATELAINE_FETCH_UNKNOWN_HOST = 2,
    CHATELAINE_FETCH_REFUSED_ADDRESS = 3,
    CHATELAINE_FETCH_UNREACHABLE = 4,
    CHATELAINE_FETCH_TIMED_OUT = 5,
    CHATELAINE_FETCH_TOO_LARGE = 6,
    CHATELAINE_FETCH_REFUSED_BY_SERVER = 7,
    CHATELAINE_FETCH_REFUSED_REDIRECT = 8,
    CHATELAINE_FETCH_REFUSED_PORT = 9,
};

/// Bounds of one fetch.
struct chatelaine_fetch_limits {
    size_t bytes;
    /// Of the heads of all answers together, redirects included.
    size_t head_bytes;
    long milliseconds;
    long redirects;
    /// The only ports that are connected to; the caller's.
    const uint16_t *ports;
    size_t port_count;
};

/// What a server answered; `bytes` is freed with `free`.
struct chatelaine_fetched {
    uint8_t *bytes;
    size_t count;
};

/// Whether a URL in a certificate of a stranger's may lead to this address.
int chatelaine_fetch_admits(const struct sockaddr *address);

/// Readies the library; 0 where it can be used. Before the process shuts itself in.
int chatelaine_fetch_start(void);

/// Fetches by GET, or by POST of an OCSP request where there is a body.
enum chatelaine_fetch_outcome chatelaine_fetch(
    const char *url, const uint8_t *body, size_t count, struct chatelaine_fetch_limits limits,
    struct chatelaine_fetched *result);

#endif
