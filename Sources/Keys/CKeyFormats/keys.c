#include "formats.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <string.h>

/* The curves by name, with the bytes of their coordinates. */
static const struct curve {
    const char *name;
    size_t width;
} curves[] = {{"prime256v1", 32}, {"secp384r1", 48}, {"secp521r1", 66}};
enum { CURVES = sizeof curves / sizeof *curves, MOST_WIDTH = 66 };

/* Writes 04, X and Y, and the private number. */
static int write_ec(const EVP_PKEY *key, int is_private, uint8_t *bytes, size_t *count) {
    char name[64];
    size_t length = 0, width = 0;
    if (!EVP_PKEY_get_group_name(key, name, sizeof name, &length)) return KEY_FORMATS_UNSUPPORTED_KEY;
    for (int index = 0; index < CURVES; index++)
        if (!strcmp(name, curves[index].name)) width = curves[index].width;
    if (!width) return KEY_FORMATS_UNSUPPORTED_KEY;
    static const char *const names[] = {OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y, OSSL_PKEY_PARAM_PRIV_KEY};
    int parts = is_private ? 3 : 2, works = 1;
    bytes[0] = 4;
    for (int part = 0; part < parts && works; part++) {
        BIGNUM *number = NULL;
        works = EVP_PKEY_get_bn_param(key, names[part], &number) &&
            BN_bn2binpad(number, bytes + 1 + (size_t)part * width, (int)width) == (int)width;
        BN_clear_free(number);
    }
    *count = 1 + (size_t)parts * width;
    return works ? KEY_FORMATS_OK : KEY_FORMATS_DAMAGED;
}

static int tell(
    const struct key_formats_names *names, struct key_formats_item item, key_formats_found found, void *context) {
    if (names) {
        item.label = names->label;
        item.key_id = names->key_id;
    }
    return found(context, &item);
}

static int raw_kind(const EVP_PKEY *key) {
    if (EVP_PKEY_is_a(key, "ED25519")) return KEY_FORMATS_ED25519;
    return EVP_PKEY_is_a(key, "X25519") ? KEY_FORMATS_X25519 : 0;
}

int key_formats_tell_key(
    const EVP_PKEY *key, int is_private, const struct key_formats_names *names, key_formats_found found, void *context) {
    if (!key) return KEY_FORMATS_DAMAGED;
    int kind = is_private ? KEY_FORMATS_PRIVATE_KEY : KEY_FORMATS_PUBLIC_KEY;
    if (EVP_PKEY_is_a(key, "RSA")) {
        int bits = EVP_PKEY_get_bits(key);
        if (bits < KEY_FORMATS_RSA_LEAST || bits > KEY_FORMATS_RSA_MOST) return KEY_FORMATS_UNSUPPORTED_KEY;
        unsigned char *made = NULL;
        int length = is_private ? i2d_PrivateKey(key, &made) : i2d_PublicKey(key, &made);
        if (length <= 0) return KEY_FORMATS_DAMAGED;
        int code = tell(
            names, (struct key_formats_item){.kind = kind, .key_kind = KEY_FORMATS_RSA, .bytes = {made, (size_t)length}},
            found, context);
        OPENSSL_clear_free(made, (size_t)length);
        return code;
    }
    uint8_t bytes[1 + 3 * MOST_WIDTH];
    size_t count = sizeof bytes;
    int key_kind = KEY_FORMATS_EC, code = KEY_FORMATS_OK;
    if (EVP_PKEY_is_a(key, "EC")) {
        code = write_ec(key, is_private, bytes, &count);
    } else if ((key_kind = raw_kind(key))) {
        int works = is_private ? EVP_PKEY_get_raw_private_key(key, bytes, &count) : EVP_PKEY_get_raw_public_key(key, bytes, &count);
        if (works != 1) code = KEY_FORMATS_DAMAGED;
    } else {
        code = KEY_FORMATS_UNSUPPORTED_KEY;
    }
    if (code == KEY_FORMATS_OK)
        code = tell(
            names, (struct key_formats_item){.kind = kind, .key_kind = key_kind, .bytes = {bytes, count}}, found, context);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return code;
}

/* Makes an RSA or EC key from the parameters in `build`. */
static EVP_PKEY *made(const char *algorithm, int selection, OSSL_PARAM_BLD *build) {
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, algorithm, NULL);
    EVP_PKEY *key = NULL;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context) <= 0 ||
        EVP_PKEY_fromdata(context, &key, selection, parameters) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}

static EVP_PKEY *read_ec(int is_private, struct key_formats_bytes bytes) {
    const struct curve *curve = NULL;
    for (int index = 0; index < CURVES; index++)
        if (bytes.count == 1 + (is_private ? 3 : 2) * curves[index].width) curve = &curves[index];
    if (!curve || bytes.bytes[0] != 4) return NULL;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *number = BN_secure_new();
    size_t point = 1 + 2 * curve->width;
    int works = build && number && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, curve->name, 0) &&
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, bytes.bytes, point) &&
        (!is_private ||
         (BN_bin2bn(bytes.bytes + point, (int)curve->width, number) &&
          OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, number)));
    EVP_PKEY *key = works ? made("EC", is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, build) : NULL;
    OSSL_PARAM_BLD_free(build);
    BN_clear_free(number);
    return key;
}

EVP_PKEY *key_formats_key(int key_kind, int is_private, struct key_formats_bytes representation) {
    const unsigned char *start = representation.bytes;
    EVP_PKEY *key = NULL;
    if (!start || representation.count == 0 || representation.count > 1 << 16) return NULL;
    switch (key_kind) {
    case KEY_FORMATS_RSA:
        key = is_private ? d2i_PrivateKey(EVP_PKEY_RSA, NULL, &start, (long)representation.count)
                         : d2i_PublicKey(EVP_PKEY_RSA, NULL, &start, (long)representation.count);
        break;
    case KEY_FORMATS_EC: key = read_ec(is_private, representation); break;
    case KEY_FORMATS_ED25519:
    case KEY_FORMATS_X25519: {
        const char *name = key_kind == KEY_FORMATS_ED25519 ? "ED25519" : "X25519";
        key = is_private ? EVP_PKEY_new_raw_private_key_ex(NULL, name, NULL, start, representation.count)
                         : EVP_PKEY_new_raw_public_key_ex(NULL, name, NULL, start, representation.count);
        break;
    }
    default: break;
    }
    ERR_clear_error();
    return key;
}

int key_formats_read_rsa_numbers(const struct key_formats_bytes numbers[6], key_formats_found found, void *context) {
    enum { N, E, D, P, Q, QINV, DP, DQ, COUNT };
    static const char *const names[COUNT] = {
        OSSL_PKEY_PARAM_RSA_N,       OSSL_PKEY_PARAM_RSA_E,       OSSL_PKEY_PARAM_RSA_D,
        OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2};
    BIGNUM *values[COUNT] = {NULL}, *less = BN_secure_new();
    BN_CTX *scratch = BN_CTX_secure_new();
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    int works = less && scratch && build;
    for (int index = 0; index < COUNT; index++) {
        values[index] = BN_secure_new();
        works = works && values[index];
        if (index < DP)
            works = works && numbers[index].count <= KEY_FORMATS_RSA_MOST / 8 + 1 &&
                BN_bin2bn(numbers[index].bytes, (int)numbers[index].count, values[index]);
    }
    /* OpenSSH leaves out the exponents modulo p - 1 and q - 1. */
    for (int index = 0; index < 2 && works; index++)
        works = BN_sub(less, values[P + index], BN_value_one()) && !BN_is_zero(less) && !BN_is_negative(less) &&
            BN_mod(values[DP + index], values[D], less, scratch);
    for (int index = 0; index < COUNT && works; index++) works = OSSL_PARAM_BLD_push_BN(build, names[index], values[index]);
    EVP_PKEY *key = works ? made("RSA", EVP_PKEY_KEYPAIR, build) : NULL;
    for (int index = 0; index < COUNT; index++) BN_clear_free(values[index]);
    BN_clear_free(less);
    BN_CTX_free(scratch);
    OSSL_PARAM_BLD_free(build);
    int code = key ? key_formats_tell_key(key, 1, NULL, found, context) : KEY_FORMATS_DAMAGED;
    EVP_PKEY_free(key);
    ERR_clear_error();
    return code;
}
