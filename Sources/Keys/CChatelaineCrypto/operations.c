#include "library.h"

#include <string.h>

/* A context for one operation with a key, initialised by `begin`; NULL if that fails. */
static EVP_PKEY_CTX *begun(
    const struct chatelaine_library *crypto, const struct chatelaine_key *key, int (*begin)(EVP_PKEY_CTX *)) {
    EVP_PKEY_CTX *context = crypto->EVP_PKEY_CTX_new_from_pkey(crypto->context, key->key, NULL);
    if (context && begin(context) > 0) return context;
    crypto->EVP_PKEY_CTX_free(context);
    return NULL;
}

/*
 * Whether libcrypto takes so many bytes. It counts with int, so that it would cut or overrun longer input. RSA takes a
 * block at most.
 */
static int is_countable(const struct chatelaine_library *crypto, const struct chatelaine_key *key, size_t count) {
    if (key->kind == CHATELAINE_KEY_RSA) return count <= (size_t)crypto->EVP_PKEY_get_size(key->key);
    return count <= CHATELAINE_MESSAGE_BYTES;
}

/* Sets the padding of an RSA signature; EC signs its digest as it is. */
static int fill_signature(const struct chatelaine_library *crypto, EVP_PKEY_CTX *context, int fill, int digest) {
    const EVP_MD *md = chatelaine_md(crypto, digest);
    switch (fill) {
    case CHATELAINE_FILL_NONE: return crypto->EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) > 0;
    case CHATELAINE_FILL_PKCS1:
        return crypto->EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0 &&
            (!md || crypto->EVP_PKEY_CTX_set_signature_md(context, md) > 0);
    case CHATELAINE_FILL_PSS:
        return md && crypto->EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0 &&
            crypto->EVP_PKEY_CTX_set_signature_md(context, md) > 0 &&
            crypto->EVP_PKEY_CTX_set_rsa_mgf1_md(context, md) > 0 &&
            crypto->EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0;
    default: return 0;
    }
}

static int fill_message(const struct chatelaine_library *crypto, EVP_PKEY_CTX *context, int fill, int digest) {
    const EVP_MD *md = chatelaine_md(crypto, digest);
    if (fill == CHATELAINE_FILL_NONE) return crypto->EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) > 0;
    if (fill == CHATELAINE_FILL_PKCS1) return crypto->EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0;
    return fill == CHATELAINE_FILL_OAEP && md &&
        crypto->EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0 &&
        crypto->EVP_PKEY_CTX_set_rsa_oaep_md(context, md) > 0 && crypto->EVP_PKEY_CTX_set_rsa_mgf1_md(context, md) > 0;
}

int chatelaine_key_sign(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *signature,
    size_t *signature_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (!key->is_private || key->kind == CHATELAINE_KEY_X25519) return CHATELAINE_CRYPTO_INVALID;
    /* Ed25519 signs a message, and counts it with size_t. */
    if (key->kind != CHATELAINE_KEY_ED25519 && !is_countable(crypto, key, count)) return CHATELAINE_CRYPTO_INVALID;
    *signature_count = CHATELAINE_BLOCK_BYTES;
    int works = 0;
    if (key->kind == CHATELAINE_KEY_ED25519) {
        EVP_MD_CTX *context = crypto->EVP_MD_CTX_new();
        works = context &&
            crypto->EVP_DigestSignInit_ex(context, NULL, NULL, crypto->context, NULL, key->key, NULL) == 1 &&
            crypto->EVP_DigestSign(context, signature, signature_count, bytes, count) == 1;
        crypto->EVP_MD_CTX_free(context);
    } else {
        EVP_PKEY_CTX *context = begun(crypto, key, crypto->EVP_PKEY_sign_init);
        works = context && (key->kind == CHATELAINE_KEY_EC || fill_signature(crypto, context, fill, digest)) &&
            crypto->EVP_PKEY_sign(context, signature, signature_count, bytes, count) > 0;
        crypto->EVP_PKEY_CTX_free(context);
    }
    crypto->ERR_clear_error();
    /* Only input that does not fit the key fails here, so it is the caller's error. */
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_INVALID;
}

int chatelaine_key_verify(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, const uint8_t *signature,
    size_t signature_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (key->kind == CHATELAINE_KEY_X25519) return CHATELAINE_CRYPTO_INVALID;
    if (key->kind != CHATELAINE_KEY_ED25519 && !is_countable(crypto, key, count)) return CHATELAINE_CRYPTO_INVALID;
    /* No signature is longer, in DER either. */
    if (signature_count > (size_t)crypto->EVP_PKEY_get_size(key->key)) return CHATELAINE_CRYPTO_MISMATCH;
    int is_set = 0, works = 0;
    if (key->kind == CHATELAINE_KEY_ED25519) {
        EVP_MD_CTX *context = crypto->EVP_MD_CTX_new();
        is_set = context &&
            crypto->EVP_DigestVerifyInit_ex(context, NULL, NULL, crypto->context, NULL, key->key, NULL) == 1;
        works = is_set && crypto->EVP_DigestVerify(context, signature, signature_count, bytes, count) == 1;
        crypto->EVP_MD_CTX_free(context);
    } else {
        EVP_PKEY_CTX *context = begun(crypto, key, crypto->EVP_PKEY_verify_init);
        is_set = context && (key->kind == CHATELAINE_KEY_EC || fill_signature(crypto, context, fill, digest));
        works = is_set && crypto->EVP_PKEY_verify(context, signature, signature_count, bytes, count) == 1;
        crypto->EVP_PKEY_CTX_free(context);
    }
    crypto->ERR_clear_error();
    if (!is_set) return CHATELAINE_CRYPTO_INVALID;
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_MISMATCH;
}

int chatelaine_key_encrypt(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (key->kind != CHATELAINE_KEY_RSA || !is_countable(crypto, key, count)) return CHATELAINE_CRYPTO_INVALID;
    *result_count = CHATELAINE_BLOCK_BYTES;
    EVP_PKEY_CTX *context = begun(crypto, key, crypto->EVP_PKEY_encrypt_init);
    int works = context && fill_message(crypto, context, fill, digest) &&
        crypto->EVP_PKEY_encrypt(context, result, result_count, bytes, count) > 0;
    crypto->EVP_PKEY_CTX_free(context);
    crypto->ERR_clear_error();
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_INVALID;
}

int chatelaine_key_decrypt(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    /* libcrypto's result for PKCS#1 v1.5 would reveal the padding (implicit_rejection.c). */
    if (key->kind != CHATELAINE_KEY_RSA || !key->is_private || fill == CHATELAINE_FILL_PKCS1)
        return CHATELAINE_CRYPTO_INVALID;
    if (count != (size_t)crypto->EVP_PKEY_get_size(key->key)) return CHATELAINE_CRYPTO_FAILED;
    *result_count = CHATELAINE_BLOCK_BYTES;
    EVP_PKEY_CTX *context = begun(crypto, key, crypto->EVP_PKEY_decrypt_init);
    int is_set = context && fill_message(crypto, context, fill, digest);
    int works = is_set && crypto->EVP_PKEY_decrypt(context, result, result_count, bytes, count) > 0;
    crypto->EVP_PKEY_CTX_free(context);
    crypto->ERR_clear_error();
    if (!is_set) return CHATELAINE_CRYPTO_INVALID;
    /* Every failure gives the same result. */
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
}

int chatelaine_key_agree(
    const struct chatelaine_key *key, const struct chatelaine_key *other, uint8_t *secret, size_t *secret_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    int is_agreeing = key->kind == CHATELAINE_KEY_EC || key->kind == CHATELAINE_KEY_X25519;
    if (!key->is_private || !is_agreeing || other->kind != key->kind) return CHATELAINE_CRYPTO_INVALID;
    if (chatelaine_key_bits(key) != chatelaine_key_bits(other)) return CHATELAINE_CRYPTO_INVALID;
    *secret_count = CHATELAINE_BLOCK_BYTES;
    EVP_PKEY_CTX *context = begun(crypto, key, crypto->EVP_PKEY_derive_init);
    int works = context && crypto->EVP_PKEY_derive_set_peer(context, other->key) > 0 &&
        crypto->EVP_PKEY_derive(context, secret, secret_count) > 0;
    crypto->EVP_PKEY_CTX_free(context);
    crypto->ERR_clear_error();
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
}
