#include "library.h"

#include <limits.h>

static const char *wrap_name(size_t key_count) {
    switch (key_count) {
    case 16: return "AES-128-WRAP";
    case 24: return "AES-192-WRAP";
    case 32: return "AES-256-WRAP";
    default: return NULL;
    }
}

int chatelaine_aes_wrap(
    int is_wrapping, const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    size_t most = CHATELAINE_WRAPPED_KEY_BYTES + (is_wrapping ? 0 : CHATELAINE_WRAP_BYTES);
    size_t least = is_wrapping ? 16 : 16 + CHATELAINE_WRAP_BYTES;
    if (!wrap_name(key_count)) return CHATELAINE_CRYPTO_INVALID;
    /* Bytes of such a length were wrapped by no key. */
    if (count < least || count > most || count % 8)
        return is_wrapping ? CHATELAINE_CRYPTO_INVALID : CHATELAINE_CRYPTO_FAILED;
    EVP_CIPHER *cipher = crypto->EVP_CIPHER_fetch(crypto->context, wrap_name(key_count), NULL);
    EVP_CIPHER_CTX *context = crypto->EVP_CIPHER_CTX_new();
    /* While it unwraps, libcrypto writes one block more than the result has. */
    uint8_t made[CHATELAINE_WRAPPED_KEY_BYTES + 2 * CHATELAINE_WRAP_BYTES + 16];
    int length = 0, last = 0;
    if (context) crypto->EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    int works = cipher && context && crypto->EVP_CipherInit_ex2(context, cipher, key, NULL, is_wrapping, NULL) == 1 &&
        crypto->EVP_CipherUpdate(context, made, &length, bytes, (int)count) == 1 &&
        crypto->EVP_CipherFinal_ex(context, made + length, &last) == 1;
    size_t expected = is_wrapping ? count + CHATELAINE_WRAP_BYTES : count - CHATELAINE_WRAP_BYTES;
    works = works && (size_t)(length + last) == expected;
    if (works) {
        for (size_t index = 0; index < expected; index++) result[index] = made[index];
        *result_count = expected;
    }
    crypto->OPENSSL_cleanse(made, sizeof made);
    crypto->EVP_CIPHER_CTX_free(context);
    crypto->EVP_CIPHER_free(cipher);
    crypto->ERR_clear_error();
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
}

int chatelaine_pbkdf2(
    int digest, const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, uint32_t rounds,
    uint8_t *result, size_t count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    const EVP_MD *md = chatelaine_md(crypto, digest);
    if (!md || rounds < 1 || rounds > CHATELAINE_PBKDF2_MOST_ROUNDS || password_count > INT_MAX || salt_count > INT_MAX ||
        count < 1 || count > INT_MAX)
        return CHATELAINE_CRYPTO_INVALID;
    int works = crypto->PKCS5_PBKDF2_HMAC(
                    (const char *)password, (int)password_count, salt, (int)salt_count, (int)rounds, md, (int)count,
                    result) == 1;
    crypto->ERR_clear_error();
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
}
