#include "fetch.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/// One fetch that is under way.
struct fetch {
    struct chatelaine_fetched *result;
    struct chatelaine_fetch_limits limits;
    size_t head_bytes;
    int is_too_large;
    int is_refused;
    int is_refused_port;
};

int chatelaine_fetch_start(void)
{
    // Without TLS, which http does not need: preparing it reads files.
    return curl_global_init(CURL_GLOBAL_NOTHING) == CURLE_OK ? 0 : -1;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    struct fetch *fetch = context;
    struct chatelaine_fetched *result = fetch->result;
    size_t added = size * count;
    if (added == 0) return 0;
    if (added > fetch->limits.bytes - result->count) {
        fetch->is_too_large = 1;
        return 0;
    }
    uint8_t *grown = realloc(result->bytes, result->count + added);
    if (!grown) return 0;
    memcpy(grown + result->count, bytes, added);
    result->bytes = grown;
    result->count += added;
    return added;
}

/// Counts the bytes of the heads of all answers, including redirects and interim answers. The library limits each line
/// but not their number.
static size_t receive_head(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes;
    struct fetch *fetch = context;
    size_t added = size * count;
    if (added > fetch->limits.head_bytes - fetch->head_bytes) {
        fetch->is_too_large = 1;
        return 0;
    }
    fetch->head_bytes += added;
    return added;
}

static int admits_port(const struct chatelaine_fetch_limits *limits, const struct sockaddr *address)
{
    // Both kinds of address have the port in the same place; `chatelaine_fetch_admits` has checked that it is one of
    // them.
    struct sockaddr_in internet;
    memcpy(&internet, address, sizeof internet);
    for (size_t i = 0; i < limits->port_count; i++) {
        if (limits->ports[i] == ntohs(internet.sin_port)) return 1;
    }
    return 0;
}

/// Checks each address before connecting, so that names and redirects are checked as well.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct fetch *fetch = context;
    if (purpose != CURLSOCKTYPE_IPCXN || !chatelaine_fetch_admits(&address->addr)) {
        fetch->is_refused = 1;
        return CURL_SOCKET_BAD;
    }
    if (!admits_port(&fetch->limits, &address->addr)) {
        fetch->is_refused_port = 1;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static void set_protocols(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP);
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP);
#endif
}

static enum chatelaine_fetch_outcome outcome(CURL *curl, CURLcode code, const struct fetch *fetch)
{
    long redirects = 0, status = 0;
    if (fetch->is_too_large) return CHATELAINE_FETCH_TOO_LARGE;
    switch (code) {
    case CURLE_OK:
        // Other successful statuses bring nothing usable: a redirect without a target, a part, no content.
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        return status == 200 ? CHATELAINE_FETCHED : CHATELAINE_FETCH_REFUSED_BY_SERVER;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_LOGIN_DENIED:
        curl_easy_getinfo(curl, CURLINFO_REDIRECT_COUNT, &redirects);
        if (redirects > 0) return CHATELAINE_FETCH_REFUSED_REDIRECT;
        // The URL is an http URL; an unsupported protocol is then an answer without a head.
        return code == CURLE_UNSUPPORTED_PROTOCOL ? CHATELAINE_FETCH_UNREACHABLE : CHATELAINE_FETCH_UNSUITABLE_URL;
    case CURLE_TOO_MANY_REDIRECTS: return CHATELAINE_FETCH_REFUSED_REDIRECT;
    case CURLE_COULDNT_RESOLVE_HOST: return CHATELAINE_FETCH_UNKNOWN_HOST;
    case CURLE_OPERATION_TIMEDOUT: return CHATELAINE_FETCH_TIMED_OUT;
    case CURLE_FILESIZE_EXCEEDED: return CHATELAINE_FETCH_TOO_LARGE;
    case CURLE_HTTP_RETURNED_ERROR: return CHATELAINE_FETCH_REFUSED_BY_SERVER;
    default:
        if (fetch->is_refused) return CHATELAINE_FETCH_REFUSED_ADDRESS;
        return fetch->is_refused_port ? CHATELAINE_FETCH_REFUSED_PORT : CHATELAINE_FETCH_UNREACHABLE;
    }
}

static void set_limits(CURL *curl, struct chatelaine_fetch_limits limits)
{
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, limits.milliseconds);
    curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)limits.bytes);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, limits.redirects);
    curl_easy_setopt(curl, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    // A thread that still waits for a name server need not be waited for, since the process ends.
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#endif
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    // An empty name means no proxy, whatever the environment says.
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_NONE);
    curl_easy_setopt(curl, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_HTTP09_ALLOWED, 0L);
    set_protocols(curl);
}

enum chatelaine_fetch_outcome chatelaine_fetch(
    const char *url, const uint8_t *body, size_t count, struct chatelaine_fetch_limits limits,
    struct chatelaine_fetched *result)
{
    struct fetch fetch = {.result = result, .limits = limits};
    struct curl_slist *headers = NULL;
    *result = (struct chatelaine_fetched){NULL, 0};
    CURL *curl = curl_easy_init();
    if (!curl) return CHATELAINE_FETCH_UNREACHABLE;
    set_limits(curl, limits);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &fetch);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, receive_head);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &fetch);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, &fetch);
    if (body) {
        headers = curl_slist_append(NULL, "Content-Type: application/ocsp-request");
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)body);
    }
    enum chatelaine_fetch_outcome answer = outcome(curl, curl_easy_perform(curl), &fetch);
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    if (answer != CHATELAINE_FETCHED) {
        free(result->bytes);
        *result = (struct chatelaine_fetched){NULL, 0};
    }
    return answer;
}
