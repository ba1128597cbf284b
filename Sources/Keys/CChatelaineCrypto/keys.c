#include "library.h"

#include <stdlib.h>
#include <string.h>

static int answer(EVP_PKEY *made, int kind, int is_private, struct chatelaine_key **key) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    *key = NULL;
    if (!made) return CHATELAINE_CRYPTO_INVALID;
    int bits = crypto->EVP_PKEY_get_bits(made);
    struct chatelaine_key *result = NULL;
    int is_possible = kind != CHATELAINE_KEY_RSA || (bits >= CHATELAINE_RSA_LEAST && bits <= CHATELAINE_RSA_MOST);
    if (is_possible) result = malloc(sizeof *result);
    if (!result) {
        crypto->EVP_PKEY_free(made);
        return is_possible ? CHATELAINE_CRYPTO_MEMORY : CHATELAINE_CRYPTO_INVALID;
    }
    *result = (struct chatelaine_key){made, kind, is_private};
    *key = result;
    return CHATELAINE_CRYPTO_OK;
}

static const char *algorithm(int kind) {
    switch (kind) {
    case CHATELAINE_KEY_RSA: return "RSA";
    case CHATELAINE_KEY_EC: return "EC";
    case CHATELAINE_KEY_ED25519: return "ED25519";
    case CHATELAINE_KEY_X25519: return "X25519";
    default: return NULL;
    }
}

static const char *curve(int bits) {
    switch (bits) {
    case 256: return "P-256";
    case 384: return "P-384";
    case 521: return "P-521";
    default: return NULL;
    }
}

int chatelaine_key_generate(int kind, int bits, struct chatelaine_key **key) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    *key = NULL;
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (!algorithm(kind)) return CHATELAINE_CRYPTO_INVALID;
    if (kind == CHATELAINE_KEY_RSA && (bits < CHATELAINE_RSA_LEAST || bits > CHATELAINE_RSA_MOST))
        return CHATELAINE_CRYPTO_INVALID;
    /* libcrypto would make a key of one bit less. Checked again below, but then the key took seconds. */
    if (kind == CHATELAINE_KEY_RSA && bits > 2048 && bits % 2) return CHATELAINE_CRYPTO_INVALID;
    if (kind == CHATELAINE_KEY_EC && !curve(bits)) return CHATELAINE_CRYPTO_INVALID;
    EVP_PKEY_CTX *context = crypto->EVP_PKEY_CTX_new_from_name(crypto->context, algorithm(kind), NULL);
    EVP_PKEY *made = NULL;
    int works = context && crypto->EVP_PKEY_keygen_init(context) > 0;
    if (works && kind == CHATELAINE_KEY_RSA) works = crypto->EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) > 0;
    if (works && kind == CHATELAINE_KEY_EC) works = crypto->EVP_PKEY_CTX_set_group_name(context, curve(bits)) > 0;
    if (works) works = crypto->EVP_PKEY_generate(context, &made) > 0;
    crypto->EVP_PKEY_CTX_free(context);
    crypto->ERR_clear_error();
    if (!works) return CHATELAINE_CRYPTO_FAILED;
    if (kind == CHATELAINE_KEY_RSA && crypto->EVP_PKEY_get_bits(made) != bits) {
        crypto->EVP_PKEY_free(made);
        return CHATELAINE_CRYPTO_INVALID;
    }
    return answer(made, kind, 1, key);
}

/* Reads PKCS#1. Nothing may follow the key. */
static EVP_PKEY *read_rsa(const struct chatelaine_library *crypto, int is_private, const uint8_t *bytes, size_t count) {
    EVP_PKEY *key = NULL;
    int selection = is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
    OSSL_DECODER_CTX *decoder = crypto->OSSL_DECODER_CTX_new_for_pkey(
        &key, "DER", "type-specific", "RSA", selection, crypto->context, NULL);
    int works = decoder && crypto->OSSL_DECODER_from_data(decoder, &bytes, &count) == 1 && count == 0;
    crypto->OSSL_DECODER_CTX_free(decoder);
    if (works || !key) return key;
    crypto->EVP_PKEY_free(key);
    return NULL;
}

/* Reads the DER INTEGER at `*bytes`, and advances `*bytes` past it. */
static BIGNUM *next_number(const struct chatelaine_library *crypto, const uint8_t **bytes, const uint8_t *end) {
    const uint8_t *at = *bytes;
    if (end - at < 2 || *at++ != 0x02) return NULL;
    size_t length = *at++;
    if (length >= 0x80) {
        size_t wide = length & 0x7f;
        if (wide == 0 || wide > 2 || (size_t)(end - at) < wide) return NULL;
        for (length = 0; wide > 0; wide--) length = length << 8 | *at++;
    }
    if (length > (size_t)(end - at)) return NULL;
    BIGNUM *number = crypto->BN_secure_new();
    if (number && !crypto->BN_bin2bn(at, (int)length, number)) {
        crypto->BN_clear_free(number);
        number = NULL;
    }
    *bytes = at + length;
    return number;
}

enum { RSA_N, RSA_E, RSA_D, RSA_P, RSA_Q, RSA_DP, RSA_DQ, RSA_QINV, RSA_NUMBERS };
static const char *const rsa_names[RSA_NUMBERS] = {
    OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
    OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
    OSSL_PKEY_PARAM_RSA_COEFFICIENT1};

/* Reads a private key that write_rsa wrote. libcrypto's decoders take ten times the processor time. */
static EVP_PKEY *reopen_rsa(const struct chatelaine_library *crypto, const uint8_t *bytes, size_t count) {
    /* SEQUENCE, a length of two bytes, version 0; no supported key is shorter. */
    static const uint8_t version[] = {0x02, 0x01, 0x00};
    if (count < 4 + sizeof version || bytes[0] != 0x30 || bytes[1] != 0x82 ||
        ((size_t)bytes[2] << 8 | bytes[3]) != count - 4 || memcmp(bytes + 4, version, sizeof version) != 0)
        return NULL;
    const uint8_t *at = bytes + 4 + sizeof version, *end = bytes + count;
    EVP_PKEY *key = NULL;
    BIGNUM *numbers[RSA_NUMBERS] = {NULL};
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = crypto->OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = crypto->EVP_PKEY_CTX_new_from_name(crypto->context, "RSA", NULL);
    int works = builder && context;
    for (int index = 0; works && index < RSA_NUMBERS; index++)
        works = (numbers[index] = next_number(crypto, &at, end)) != NULL &&
            crypto->OSSL_PARAM_BLD_push_BN(builder, rsa_names[index], numbers[index]);
    works = works && at == end && (parameters = crypto->OSSL_PARAM_BLD_to_param(builder)) != NULL &&
        crypto->EVP_PKEY_fromdata_init(context) > 0 &&
        crypto->EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) > 0;
    crypto->OSSL_PARAM_free(parameters);
    for (int index = 0; index < RSA_NUMBERS; index++) crypto->BN_clear_free(numbers[index]);
    crypto->OSSL_PARAM_BLD_free(builder);
    crypto->EVP_PKEY_CTX_free(context);
    if (works || !key) return key;
    crypto->EVP_PKEY_free(key);
    return NULL;
}

/* Reads 04, X and Y, and K of a private key; the length determines the curve. */
static EVP_PKEY *read_ec(const struct chatelaine_library *crypto, int is_private, const uint8_t *bytes, size_t count) {
    size_t numbers = is_private ? 3 : 2;
    if (count == 0 || (count - 1) % numbers != 0 || bytes[0] != 4) return NULL;
    size_t width = (count - 1) / numbers;
    const char *name = curve(width == 66 ? 521 : (int)width * 8);
    if (!name) return NULL;
    EVP_PKEY *key = NULL;
    BIGNUM *number = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = crypto->OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = crypto->EVP_PKEY_CTX_new_from_name(crypto->context, "EC", NULL);
    int works = builder && context &&
        crypto->OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, name, 0) &&
        crypto->OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, bytes, 1 + 2 * width);
    if (works && is_private) {
        number = crypto->BN_secure_new();
        works = number && crypto->BN_bin2bn(bytes + 1 + 2 * width, (int)width, number) &&
            crypto->OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number);
    }
    if (works) works = (parameters = crypto->OSSL_PARAM_BLD_to_param(builder)) != NULL;
    if (works)
        works = crypto->EVP_PKEY_fromdata_init(context) > 0 &&
            crypto->EVP_PKEY_fromdata(context, &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters) > 0;
    crypto->OSSL_PARAM_free(parameters);
    crypto->BN_clear_free(number);
    crypto->OSSL_PARAM_BLD_free(builder);
    crypto->EVP_PKEY_CTX_free(context);
    if (works || !key) return key;
    crypto->EVP_PKEY_free(key);
    return NULL;
}

static EVP_PKEY *read_raw(
    const struct chatelaine_library *crypto, int kind, int is_private, const uint8_t *bytes, size_t count) {
    if (is_private) return crypto->EVP_PKEY_new_raw_private_key_ex(crypto->context, algorithm(kind), NULL, bytes, count);
    return crypto->EVP_PKEY_new_raw_public_key_ex(crypto->context, algorithm(kind), NULL, bytes, count);
}

static BIGNUM *number(const struct chatelaine_library *crypto, EVP_PKEY *key, const char *name) {
    BIGNUM *number = NULL;
    return crypto->EVP_PKEY_get_bn_param(key, name, &number) ? number : NULL;
}

/* libcrypto's limit: with a modulus of more bits than the first number, it uses no exponent of more than the second. */
enum { LARGE_MODULUS_BITS = 3072, LARGE_MODULUS_EXPONENT_BITS = 64 };

/*
 * Whether an RSA key can have such numbers (RFC 8017, 3.1): an odd modulus, and an odd exponent from 3 to below the
 * modulus. With an exponent of 1 the message would be its own ciphertext.
 */
static int has_possible_numbers(const struct chatelaine_library *crypto, EVP_PKEY *key, int is_private) {
    BIGNUM *modulus = number(crypto, key, OSSL_PKEY_PARAM_RSA_N), *exponent = number(crypto, key, OSSL_PKEY_PARAM_RSA_E);
    BIGNUM *secret = is_private ? number(crypto, key, OSSL_PKEY_PARAM_RSA_D) : NULL;
    int works = modulus && exponent && crypto->BN_is_odd(modulus) && crypto->BN_is_odd(exponent) &&
        !crypto->BN_is_one(exponent) && crypto->BN_cmp(exponent, modulus) < 0 &&
        (crypto->BN_num_bits(modulus) <= LARGE_MODULUS_BITS ||
         crypto->BN_num_bits(exponent) <= LARGE_MODULUS_EXPONENT_BITS) &&
        (!is_private || (secret && crypto->BN_cmp(secret, modulus) < 0));
    crypto->BN_clear_free(modulus);
    crypto->BN_clear_free(exponent);
    crypto->BN_clear_free(secret);
    return works;
}

/*
 * Whether the eight numbers of an RSA private key match (RFC 8017, 3.2). It does not check that the primes are prime,
 * which takes seconds; the maker of the key is trusted for that.
 */
static int is_whole(const struct chatelaine_library *crypto, EVP_PKEY *key) {
    BIGNUM *numbers[RSA_NUMBERS] = {NULL}, *product = crypto->BN_secure_new(), *less = crypto->BN_secure_new();
    BN_CTX *context = crypto->BN_CTX_secure_new();
    int works = product && less && context;
    for (int index = 0; index < RSA_NUMBERS; index++)
        works = (numbers[index] = number(crypto, key, rsa_names[index])) && works;
    works = works && crypto->BN_mul(product, numbers[RSA_P], numbers[RSA_Q], context) &&
        !crypto->BN_cmp(product, numbers[RSA_N]);
    for (int half = 0; works && half < 2; half++) {
        const BIGNUM *prime = numbers[half ? RSA_Q : RSA_P], *exponent = numbers[half ? RSA_DQ : RSA_DP];
        /* d = dp mod p - 1, and e d = 1. */
        works = crypto->BN_copy(less, prime) && crypto->BN_sub_word(less, 1) && !crypto->BN_is_zero(less) &&
            crypto->BN_div(NULL, product, numbers[RSA_D], less, context) && !crypto->BN_cmp(product, exponent) &&
            crypto->BN_mod_mul(product, exponent, numbers[RSA_E], less, context) && crypto->BN_is_one(product);
    }
    works = works && !crypto->BN_is_zero(numbers[RSA_P]) &&
        crypto->BN_mod_mul(product, numbers[RSA_QINV], numbers[RSA_Q], numbers[RSA_P], context) &&
        crypto->BN_is_one(product);
    for (int index = 0; index < RSA_NUMBERS; index++) crypto->BN_clear_free(numbers[index]);
    crypto->BN_clear_free(product);
    crypto->BN_clear_free(less);
    crypto->BN_CTX_free(context);
    return works;
}

/*
 * Whether a point is on its curve, an RSA key has possible numbers, and the halves of a private key match. A damaged
 * private key would reveal itself by its signatures.
 */
static int is_sound(const struct chatelaine_library *crypto, EVP_PKEY *key, int kind, int is_private) {
    if (kind == CHATELAINE_KEY_RSA)
        return has_possible_numbers(crypto, key, is_private) && (!is_private || is_whole(crypto, key));
    if (kind != CHATELAINE_KEY_EC) return 1;
    EVP_PKEY_CTX *context = crypto->EVP_PKEY_CTX_new_from_pkey(crypto->context, key, NULL);
    int works = context && crypto->EVP_PKEY_public_check(context) > 0 &&
        (!is_private || crypto->EVP_PKEY_pairwise_check(context) > 0);
    crypto->EVP_PKEY_CTX_free(context);
    return works;
}

int chatelaine_key_read(int kind, int is_private, const uint8_t *bytes, size_t count, struct chatelaine_key **key) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    *key = NULL;
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (!algorithm(kind) || count > CHATELAINE_KEY_BYTES) return CHATELAINE_CRYPTO_INVALID;
    EVP_PKEY *made = NULL;
    if (kind == CHATELAINE_KEY_RSA) made = read_rsa(crypto, is_private, bytes, count);
    else if (kind == CHATELAINE_KEY_EC) made = read_ec(crypto, is_private, bytes, count);
    else made = read_raw(crypto, kind, is_private, bytes, count);
    int code = answer(made, kind, is_private, key);
    if (code == CHATELAINE_CRYPTO_OK && !is_sound(crypto, made, kind, is_private)) {
        chatelaine_key_free(*key);
        *key = NULL;
        code = CHATELAINE_CRYPTO_INVALID;
    }
    crypto->ERR_clear_error();
    return code;
}

int chatelaine_key_reopen(int kind, const uint8_t *bytes, size_t count, struct chatelaine_key **key) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    *key = NULL;
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (!algorithm(kind) || count > CHATELAINE_KEY_BYTES) return CHATELAINE_CRYPTO_INVALID;
    EVP_PKEY *made = NULL;
    if (kind == CHATELAINE_KEY_RSA) made = reopen_rsa(crypto, bytes, count);
    else if (kind == CHATELAINE_KEY_EC) made = read_ec(crypto, 1, bytes, count);
    else made = read_raw(crypto, kind, 1, bytes, count);
    int code = answer(made, kind, 1, key);
    crypto->ERR_clear_error();
    return code;
}

/* Writes PKCS#1, through a buffer that OpenSSL allocates. */
static int write_rsa(
    const struct chatelaine_library *crypto, const struct chatelaine_key *key, int is_private, uint8_t *bytes,
    size_t *count) {
    unsigned char *made = NULL;
    int length = is_private ? crypto->i2d_PrivateKey(key->key, &made) : crypto->i2d_PublicKey(key->key, &made);
    if (length <= 0) return CHATELAINE_CRYPTO_FAILED;
    int code = length <= CHATELAINE_KEY_BYTES ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
    if (code == CHATELAINE_CRYPTO_OK) {
        memcpy(bytes, made, (size_t)length);
        *count = (size_t)length;
    }
    crypto->OPENSSL_cleanse(made, (size_t)length);
    crypto->CRYPTO_free(made, __FILE__, __LINE__);
    return code;
}

static int write_ec(
    const struct chatelaine_library *crypto, const struct chatelaine_key *key, int is_private, uint8_t *bytes,
    size_t *count) {
    size_t width = (size_t)(crypto->EVP_PKEY_get_bits(key->key) + 7) / 8, length = 0;
    if (!crypto->EVP_PKEY_get_octet_string_param(key->key, OSSL_PKEY_PARAM_PUB_KEY, bytes, 1 + 2 * width, &length) ||
        length != 1 + 2 * width || bytes[0] != 4)
        return CHATELAINE_CRYPTO_FAILED;
    *count = length;
    if (!is_private) return CHATELAINE_CRYPTO_OK;
    BIGNUM *number = NULL;
    int works = crypto->EVP_PKEY_get_bn_param(key->key, OSSL_PKEY_PARAM_PRIV_KEY, &number) &&
        crypto->BN_bn2binpad(number, bytes + length, (int)width) == (int)width;
    crypto->BN_clear_free(number);
    *count += width;
    return works ? CHATELAINE_CRYPTO_OK : CHATELAINE_CRYPTO_FAILED;
}

int chatelaine_key_write(const struct chatelaine_key *key, int is_private, uint8_t *bytes, size_t *count) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    if (!crypto) return CHATELAINE_CRYPTO_MISSING;
    if (is_private && !key->is_private) return CHATELAINE_CRYPTO_INVALID;
    int code = CHATELAINE_CRYPTO_FAILED;
    if (key->kind == CHATELAINE_KEY_RSA) {
        code = write_rsa(crypto, key, is_private, bytes, count);
    } else if (key->kind == CHATELAINE_KEY_EC) {
        code = write_ec(crypto, key, is_private, bytes, count);
    } else {
        *count = CHATELAINE_KEY_BYTES;
        int works = is_private ? crypto->EVP_PKEY_get_raw_private_key(key->key, bytes, count)
                               : crypto->EVP_PKEY_get_raw_public_key(key->key, bytes, count);
        if (works == 1) code = CHATELAINE_CRYPTO_OK;
    }
    crypto->ERR_clear_error();
    return code;
}

int chatelaine_key_bits(const struct chatelaine_key *key) {
    const struct chatelaine_library *crypto = chatelaine_crypto_library();
    return crypto ? crypto->EVP_PKEY_get_bits(key->key) : 0;
}

void chatelaine_key_free(struct chatelaine_key *key) {
    if (!key) return;
    chatelaine_crypto_library()->EVP_PKEY_free(key->key);
    free(key);
}
