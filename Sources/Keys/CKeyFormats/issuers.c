/* Finds the issuers of a file's certificates. The trust of certificates is not checked here. */
#include "formats.h"

#include <openssl/crypto.h>
#include <openssl/err.h>

static X509 *certificate(struct key_formats_bytes der) {
    const unsigned char *end = der.bytes;
    return der.bytes ? d2i_X509(NULL, &end, (long)der.count) : NULL;
}

/* Whether the key of a certificate has signed another one; the caller limits how often it is asked. */
static int has_signed(X509 *issuer, X509 *issued) {
    EVP_PKEY *key = X509_get0_pubkey(issuer);
    return key && X509_verify(issued, key) == 1;
}

static size_t issuer_of(X509 *const *all, size_t count, size_t place, unsigned *verified) {
    const X509_NAME *name = X509_get_issuer_name(all[place]);
    size_t first = count;
    int is_first_verified = 0;
    if (X509_NAME_cmp(name, X509_get_subject_name(all[place])) == 0) return count;
    for (size_t other = 0; other < count; other++) {
        if (!all[other] || X509_NAME_cmp(name, X509_get_subject_name(all[other])) != 0) continue;
        if (first == count) {
            first = other;
            continue;
        }
        /* Only names that several certificates have cost calculations. */
        if (!is_first_verified) {
            is_first_verified = 1;
            if (++*verified > KEY_FORMATS_MOST_VERIFIED || has_signed(all[first], all[place])) return first;
        }
        if (++*verified > KEY_FORMATS_MOST_VERIFIED) return first;
        if (has_signed(all[other], all[place])) return other;
    }
    return first;
}

int key_formats_find_issuers(const struct key_formats_bytes *certificates, size_t count, size_t *issuers) {
    X509 **all = OPENSSL_zalloc(count * sizeof *all);
    unsigned verified = 0;
    if (!all) return 0;
    for (size_t place = 0; place < count; place++) all[place] = certificate(certificates[place]);
    for (size_t place = 0; place < count; place++)
        issuers[place] = all[place] ? issuer_of(all, count, place, &verified) : count;
    for (size_t place = 0; place < count; place++) X509_free(all[place]);
    OPENSSL_free(all);
    ERR_clear_error();
    return 1;
}
