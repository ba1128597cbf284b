/* What the sources of this module have in common. */
#ifndef KEY_FORMATS_PRIVATE_H
#define KEY_FORMATS_PRIVATE_H

#include "key_formats.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

/* What a file may still have us do. */
struct key_formats_budget {
    uint64_t iterations;
};

/* Whether what it is encrypted by is known, and within the budget, from which it is taken. */
int key_formats_admit(struct key_formats_budget *budget, const X509_ALGOR *algorithm);
int key_formats_spend(struct key_formats_budget *budget, uint64_t iterations);

/* The key of OpenSSH's private keys: count bytes, KEY_FORMATS_MOST_DERIVED at the most. */
int key_formats_derive_bcrypt(
    struct key_formats_bytes passphrase, struct key_formats_bytes salt, uint32_t rounds, uint8_t *key, size_t count);

/* What is told besides of a thing that was found. */
struct key_formats_names {
    struct key_formats_bytes label;
    struct key_formats_bytes key_id;
};

/* Tells of a key, which stays the caller's; NULL is none that could be read. */
int key_formats_tell_key(
    const EVP_PKEY *key, int is_private, const struct key_formats_names *names, key_formats_found found, void *context);
int key_formats_tell_certificate(
    X509 *certificate, const struct key_formats_names *names, key_formats_found found, void *context);

/* The key of an external representation; NULL for what is none. */
EVP_PKEY *key_formats_key(int key_kind, int is_private, struct key_formats_bytes representation);

#endif
