#include "library.h"

/* A longer nonce does not fit libcrypto's room for it. */
enum { TAG_BYTES = 16, NONCE_BYTES = 128 };

int chatelaine_aes_gcm(
    int is_sealing, const uint8_t *key, size_t key_count, const uint8_t *nonce, size_t nonce_count, const uint8_t *open,
    size_t open_count, const uint8_t *bytes, size_t count, uint8_t *result, uint8_t tag[TAG_BYTES]) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    const char *name = key_count == 16 ? "AES-128-GCM" : key_count == 24 ? "AES-192-GCM" : key_count == 32 ? "AES-256-GCM" : NULL;
    if (!name || nonce_count < 1 || nonce_count > NONCE_BYTES || count > CHATELAINE_MESSAGE_BYTES ||
        open_count > CHATELAINE_MESSAGE_BYTES)
        return CHATELAINE_CRYPTO_INVALID;
    EVP_CIPHER *cipher = crypto->EVP_CIPHER_fetch(crypto->context, name, NULL);
    EVP_CIPHER_CTX *context = crypto->EVP_CIPHER_CTX_new();
    int length = 0, last = 0;
    int works = cipher && context && crypto->EVP_CipherInit_ex2(context, cipher, NULL, NULL, is_sealing, NULL) == 1 &&
        crypto->EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce_count, NULL) == 1 &&
        crypto->EVP_CipherInit_ex2(context, NULL, key, nonce, is_sealing, NULL) == 1 &&
        (open_count == 0 || crypto->EVP_CipherUpdate(context, NULL, &length, open, (int)open_count) == 1) &&
        (count == 0 || crypto->EVP_CipherUpdate(context, result, &length, bytes, (int)count) == 1);
    if (works && !is_sealing)
        works = crypto->EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) == 1;
    uint8_t nothing[TAG_BYTES];
    if (works) works = crypto->EVP_CipherFinal_ex(context, nothing, &last) == 1;
    if (works && is_sealing)
        works = crypto->EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag) == 1;
    /* Bytes that were decrypted before the tag proved wrong must not leave this function. */
    if (!works && count > 0) crypto->OPENSSL_cleanse(result, count);
    crypto->EVP_CIPHER_CTX_free(context);
    crypto->EVP_CIPHER_free(cipher);
    crypto->ERR_clear_error();
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
}

int chatelaine_random(uint8_t *bytes, size_t count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    return crypto->RAND_priv_bytes_ex(crypto->context, bytes, count, 256) == 1 ? CHATELAINE_CRYPTO_OK
                                                                               : CHATELAINE_CRYPTO_FAILED;
}
