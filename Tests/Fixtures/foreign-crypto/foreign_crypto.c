#include "foreign_crypto.h"

#include <stdatomic.h>

static atomic_int calls;

#define FOREIGN(name) \
    __attribute__((visibility("default"))) void *name(void); \
    void *name(void) { \
        calls++; \
        return (void *)99; \
    }

/* Functions that libcrypto calls itself, for memory, numbers, curves and envelopes. */
FOREIGN(CRYPTO_malloc)
FOREIGN(CRYPTO_zalloc)
FOREIGN(BN_CTX_new)
FOREIGN(BN_mod_exp_mont)
FOREIGN(EC_POINT_mul)
FOREIGN(ECDSA_do_verify)
FOREIGN(EVP_MD_CTX_new)
FOREIGN(EVP_PKEY_CTX_new)
FOREIGN(EVP_PKEY_verify)
FOREIGN(EVP_DigestVerify)
FOREIGN(RSA_public_decrypt)
FOREIGN(OPENSSL_cleanse)

int foreign_crypto_calls(void) { return calls; }

int foreign_crypto_try(void) { return EVP_PKEY_verify() == (void *)99; }
