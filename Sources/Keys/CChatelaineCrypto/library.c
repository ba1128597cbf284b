#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>

static struct chatelaine_library library;
static const struct chatelaine_library *found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/*
 * Resolves symbols in libcrypto's own scope first. Otherwise the calls inside libcrypto use the program's symbols. In a
 * program with functions of the same names, such as BoringSSL's, libcrypto would then call those. A sanitizer must see
 * all calls of the allocator, and does not allow this flag.
 */
static int scope(void) {
    int is_watched = dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init");
    return RTLD_NOW | RTLD_LOCAL | (is_watched ? 0 : RTLD_DEEPBIND);
}

static void load(void) {
    /* Never unloaded: libcrypto does not support it, and keys may live until the end. */
    void *handle = dlopen("libcrypto.so.3", scope());
    if (!handle) return;
#define CHATELAINE_FIND(name) if (!(library.name = (__typeof__(name) *)dlsym(handle, #name))) return;
    CHATELAINE_CRYPTO_FUNCTIONS(CHATELAINE_FIND)
#undef CHATELAINE_FIND
    library.context = library.OSSL_LIB_CTX_new();
    if (!library.context) return;
    static const char *const names[CHATELAINE_DIGEST_COUNT] = {NULL, "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"};
    for (int digest = 1; digest < CHATELAINE_DIGEST_COUNT; digest++) {
        library.digests[digest] = library.EVP_MD_fetch(library.context, names[digest], NULL);
        if (!library.digests[digest]) return;
    }
    found = &library;
}

const struct chatelaine_library *chatelaine_crypto_library(void) {
    pthread_once(&once, load);
    return found;
}

int chatelaine_digest(int digest, const uint8_t *bytes, size_t count, uint8_t *result, size_t *result_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    const EVP_MD *md = chatelaine_md(crypto, digest);
    if (!md) return CHATELAINE_CRYPTO_INVALID;
    unsigned int length = 0;
    if (crypto->EVP_Digest(bytes, count, result, &length, md, NULL) != 1) return CHATELAINE_CRYPTO_MEMORY;
    *result_count = length;
    return CHATELAINE_CRYPTO_OK;
}
