/*
 * Decrypts RSA blocks with PKCS#1 v1.5 padding without revealing whether the padding was right (Bleichenbacher's
 * attack). A wrong block gives a message too, derived from the ciphertext and the key, always the same.
 *
 * OpenSSL does so from 3.2 on (draft-irtf-cfrg-rsa-guidance, "implicit rejection"); Debian 12 has 3.0, which reports an
 * error. The steps are those of the draft, so that both give the same message.
 *
 * No branch and no memory access depends on the decrypted bytes.
 */
#include "library.h"

#include <string.h>

enum { LEAST_PADDING = 8, HEAD = 2, CANDIDATES = 128 };

/* All ones if true, all zeros if false. */
static uint32_t is_zero(uint32_t value) { return (uint32_t)0 - ((~value & (value - 1)) >> 31); }
static uint32_t is_equal(uint32_t one, uint32_t other) { return is_zero(one ^ other); }
static uint32_t is_less(uint32_t one, uint32_t other) {
    return (uint32_t)0 - ((one ^ ((one ^ other) | ((one - other) ^ other))) >> 31);
}
static uint32_t chosen(uint32_t mask, uint32_t one, uint32_t other) { return (mask & one) | (~mask & other); }

static int hmac(
    const struct chatelaine_library *crypto, const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
    uint8_t result[32]) {
    size_t length = 0;
    return crypto->EVP_Q_mac(
               crypto->context, "HMAC", NULL, "SHA256", NULL, key, key_count, bytes, count, result, 32, &length) != NULL &&
        length == 32;
}

/* Derives bytes that depend on the ciphertext and the label. */
static int derive(
    const struct chatelaine_library *crypto, const uint8_t key[32], const char *label, uint8_t *bytes, size_t count) {
    uint8_t block[32], input[2 + 16 + 2];
    size_t label_count = strlen(label);
    for (size_t done = 0, number = 0; done < count; done += sizeof block, number++) {
        input[0] = (uint8_t)(number >> 8);
        input[1] = (uint8_t)number;
        memcpy(input + 2, label, label_count);
        input[2 + label_count] = (uint8_t)(count * 8 >> 8);
        input[3 + label_count] = (uint8_t)(count * 8);
        if (!hmac(crypto, key, 32, input, 4 + label_count, block)) return 0;
        size_t rest = count - done;
        memcpy(bytes + done, block, rest < sizeof block ? rest : sizeof block);
    }
    crypto->OPENSSL_cleanse(block, sizeof block);
    return 1;
}

/* The key of all derivations, from the private exponent and the ciphertext. */
static int derivation_key(
    const struct chatelaine_library *crypto, const struct chatelaine_key *key, const uint8_t *bytes, size_t size,
    uint8_t result[32]) {
    uint8_t number[CHATELAINE_BLOCK_BYTES], digest[32];
    BIGNUM *exponent = NULL;
    unsigned int length = 0;
    int works = crypto->EVP_PKEY_get_bn_param(key->key, OSSL_PKEY_PARAM_RSA_D, &exponent) &&
        crypto->BN_bn2binpad(exponent, number, (int)size) == (int)size &&
        crypto->EVP_Digest(number, size, digest, &length, crypto->digests[CHATELAINE_DIGEST_SHA256], NULL) == 1 &&
        hmac(crypto, digest, sizeof digest, bytes, size, result);
    crypto->BN_clear_free(exponent);
    crypto->OPENSSL_cleanse(number, sizeof number);
    crypto->OPENSSL_cleanse(digest, sizeof digest);
    return works;
}

/* A possible length of a message: the last candidate that is not too large. */
static uint32_t made_length(const uint8_t candidates[2 * CANDIDATES], uint32_t most) {
    uint32_t mask = most, length = 0;
    mask |= mask >> 1;
    mask |= mask >> 2;
    mask |= mask >> 4;
    mask |= mask >> 8;
    for (size_t index = 0; index < CANDIDATES; index++) {
        uint32_t candidate = ((uint32_t)candidates[2 * index] << 8 | candidates[2 * index + 1]) & mask;
        length = chosen(is_less(candidate, most), candidate, length);
    }
    return length;
}

int chatelaine_key_decrypt_pkcs1(
    const struct chatelaine_key *key, const uint8_t *bytes, size_t count, uint8_t *result, size_t *result_count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (key->kind != CHATELAINE_KEY_RSA || !key->is_private) return CHATELAINE_CRYPTO_INVALID;
    size_t size = (size_t)crypto->EVP_PKEY_get_size(key->key), length = 0;
    /* Anybody can see that such bytes are no block, so an error reveals nothing. */
    if (count != size || size < LEAST_PADDING + HEAD + 1 || size > CHATELAINE_BLOCK_BYTES) return CHATELAINE_CRYPTO_FAILED;
    uint8_t block[CHATELAINE_BLOCK_BYTES], made[CHATELAINE_BLOCK_BYTES], lengths[2 * CANDIDATES], seed[32];
    int code = chatelaine_key_decrypt(key, CHATELAINE_FILL_NONE, 0, bytes, count, block, &length);
    if (code != CHATELAINE_CRYPTO_OK) return code;
    int works = length == size && derivation_key(crypto, key, bytes, size, seed) &&
        derive(crypto, seed, "message", made, size) && derive(crypto, seed, "length", lengths, sizeof lengths);
    if (works) {
        uint32_t most = (uint32_t)(size - HEAD - LEAST_PADDING), wanted = made_length(lengths, most);
        uint32_t is_right = is_zero(block[0]) & is_equal(block[1], 2), has_end = 0, end = 0;
        for (uint32_t index = HEAD; index < size; index++) {
            uint32_t is_end = is_zero(block[index]) & ~has_end;
            end = chosen(is_end, index, end);
            has_end |= is_end;
        }
        is_right &= has_end & ~is_less(end, HEAD + LEAST_PADDING);
        /*
         * The start of the message: after the end of the padding, or at the derived distance from the end of the
         * derived block.
         */
        uint32_t start = chosen(is_right, end + 1, (uint32_t)size - wanted);
        for (uint32_t index = 0; index < size; index++) block[index] = (uint8_t)chosen(is_right, block[index], made[index]);
        /* The length of the message is returned, but not where it began. */
        *result_count = size - start;
        memcpy(result, block + start, *result_count);
    }
    crypto->OPENSSL_cleanse(block, sizeof block);
    crypto->OPENSSL_cleanse(made, sizeof made);
    crypto->OPENSSL_cleanse(seed, sizeof seed);
    crypto->ERR_clear_error();
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
}
