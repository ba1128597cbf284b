#ifndef CHATELAINE_FETCH_H
#define CHATELAINE_FETCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// The outcome of a fetch.
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

/// Limits of one fetch.
struct chatelaine_fetch_limits {
    size_t bytes;
    /// The size of the heads of all answers together, including redirects.
    size_t head_bytes;
    long milliseconds;
    long redirects;
    /// The only ports that are connected to; the caller owns the array.
    const uint16_t *ports;
    size_t port_count;
};

/// The answer of a server; the caller frees `bytes` with `free`.
struct chatelaine_fetched {
    uint8_t *bytes;
    size_t count;
};

/// Whether a URL in a stranger's certificate may lead to this address.
int chatelaine_fetch_admits(const struct sockaddr *address);

/// Prepares the library; returns 0 where it can be used. Call it before the process confines itself.
int chatelaine_fetch_start(void);

/// Fetches by GET, or by POST for an OCSP request, which has a body.
enum chatelaine_fetch_outcome chatelaine_fetch(
    const char *url, const uint8_t *body, size_t count, struct chatelaine_fetch_limits limits,
    struct chatelaine_fetched *result);

#endif
