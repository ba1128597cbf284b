#include "formats.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

int key_formats_start(void) {
    /* No file and no variable says what an algorithm is. */
    if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_ADD_ALL_CIPHERS | OPENSSL_INIT_ADD_ALL_DIGESTS, NULL))
        return 0;
    if (!OSSL_PROVIDER_load(NULL, "default")) return 0;
    /* RC2 with 40 bits, in which files of Windows and of old OpenSSL keep certificates. Who lacks it reads all others. */
    (void)OSSL_PROVIDER_load(NULL, "legacy");
    /* Finds its implementations, and fills what it is asked for chance from, while files can be opened. */
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
    return cipher != NULL;
}
