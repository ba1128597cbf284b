#include "formats.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

int key_formats_start(void) {
    /* No file and no environment variable may define algorithms. */
    if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_ADD_ALL_CIPHERS | OPENSSL_INIT_ADD_ALL_DIGESTS, NULL))
        return 0;
    if (!OSSL_PROVIDER_load(NULL, "default")) return 0;
    /*
     * Provides 40-bit RC2, with which Windows and old OpenSSL encrypt certificates in files. Without this provider all
     * other files can be read.
     */
    (void)OSSL_PROVIDER_load(NULL, "legacy");
    /* Loads implementations and seeds the random generator while files can still be opened. */
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
    return cipher != NULL;
}
