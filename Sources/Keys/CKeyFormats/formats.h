/* Declarations shared by the sources of this module. */
#ifndef KEY_FORMATS_PRIVATE_H
#define KEY_FORMATS_PRIVATE_H

#include "key_formats.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

/* The work that a file may still cause. */
struct key_formats_budget {
    uint64_t iterations;
};

/* Whether an encryption is supported and within the budget; its cost is subtracted. */
int key_formats_admit(struct key_formats_budget *budget, const X509_ALGOR *algorithm);
int key_formats_spend(struct key_formats_budget *budget, uint64_t iterations);

/* Derives the key of an OpenSSH private key: count bytes, KEY_FORMATS_MOST_DERIVED at the most. */
int key_formats_derive_bcrypt(
    struct key_formats_bytes passphrase, struct key_formats_bytes salt, uint32_t rounds, uint8_t *key, size_t count);

/* The names of an item. */
struct key_formats_names {
    struct key_formats_bytes label;
    struct key_formats_bytes key_id;
};

/* Reports a key, which stays the caller's; NULL means that the key could not be read. */
int key_formats_tell_key(
    const EVP_PKEY *key, int is_private, const struct key_formats_names *names, key_formats_found found, void *context);
int key_formats_tell_certificate(
    X509 *certificate, const struct key_formats_names *names, key_formats_found found, void *context);

/* Makes a key from its external representation; NULL if that is malformed. */
EVP_PKEY *key_formats_key(int key_kind, int is_private, struct key_formats_bytes representation);

#endif
