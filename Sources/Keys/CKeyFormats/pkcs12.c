/*
 * Reads PKCS#12 (RFC 7292) in the forms that other programs write: several keys, chains, nested bags, old and new
 * ciphers, with or without an authentication code.
 */
#include "formats.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <string.h>

struct reading {
    struct key_formats_budget budget;
    /* In libcrypto's form: NULL and an empty passphrase lead to two different derivations. */
    const char *passphrase;
    int length;
    /* Whether a passphrase was given. */
    int has_passphrase;
    /* Whether it opened any part, which a wrong passphrase does not. */
    int has_opened;
    key_formats_found found;
    void *context;
};

/* The result for a part that cannot be decrypted: without a passphrase, that one is required. */
static int refusal(const struct reading *reading) {
    return reading->has_passphrase ? KEY_FORMATS_WRONG_PASSPHRASE : KEY_FORMATS_PASSPHRASE_REQUIRED;
}

static struct key_formats_bytes key_id(const PKCS12_SAFEBAG *bag) {
    const ASN1_TYPE *value = PKCS12_SAFEBAG_get0_attr(bag, NID_localKeyID);
    struct key_formats_bytes none = {NULL, 0};
    if (!value || value->type != V_ASN1_OCTET_STRING) return none;
    return (struct key_formats_bytes){
        ASN1_STRING_get0_data(value->value.octet_string), (size_t)ASN1_STRING_length(value->value.octet_string)};
}

static int tell_key(
    struct reading *reading, const PKCS8_PRIV_KEY_INFO *info, const struct key_formats_names *names) {
    if (!info) return KEY_FORMATS_DAMAGED;
    EVP_PKEY *key = EVP_PKCS82PKEY(info);
    int code = key ? key_formats_tell_key(key, 1, names, reading->found, reading->context) : KEY_FORMATS_UNSUPPORTED_KEY;
    EVP_PKEY_free(key);
    return code;
}

static int read_shrouded(struct reading *reading, const PKCS12_SAFEBAG *bag, const struct key_formats_names *names) {
    const X509_SIG *envelope = PKCS12_SAFEBAG_get0_pkcs8(bag);
    const X509_ALGOR *algorithm = NULL;
    if (!envelope) return KEY_FORMATS_DAMAGED;
    X509_SIG_get0(envelope, &algorithm, NULL);
    int code = key_formats_admit(&reading->budget, algorithm);
    if (code != KEY_FORMATS_OK) return code;
    PKCS8_PRIV_KEY_INFO *info = PKCS12_decrypt_skey(bag, reading->passphrase, reading->length);
    if (!info) return refusal(reading);
    reading->has_opened = 1;
    code = tell_key(reading, info, names);
    PKCS8_PRIV_KEY_INFO_free(info);
    return code;
}

static int read_bags(struct reading *reading, const STACK_OF(PKCS12_SAFEBAG) *bags, int depth);

static int read_bag(struct reading *reading, const PKCS12_SAFEBAG *bag, int depth) {
    char *label = PKCS12_get_friendlyname((PKCS12_SAFEBAG *)bag);
    struct key_formats_names names = {{(const uint8_t *)label, label ? strlen(label) : 0}, key_id(bag)};
    int code = KEY_FORMATS_OK;
    switch (PKCS12_SAFEBAG_get_nid(bag)) {
    case NID_keyBag: code = tell_key(reading, PKCS12_SAFEBAG_get0_p8inf(bag), &names); break;
    case NID_pkcs8ShroudedKeyBag: code = read_shrouded(reading, bag, &names); break;
    case NID_certBag:
        /* Certificates of other kinds are not in use. */
        if (PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate) {
            X509 *certificate = PKCS12_SAFEBAG_get1_cert(bag);
            code = certificate ? key_formats_tell_certificate(certificate, &names, reading->found, reading->context)
                               : KEY_FORMATS_DAMAGED;
            X509_free(certificate);
        }
        break;
    case NID_safeContentsBag: code = read_bags(reading, PKCS12_SAFEBAG_get0_safes(bag), depth + 1); break;
    /* Revocation lists and other secrets are skipped. */
    default: break;
    }
    OPENSSL_free(label);
    return code;
}

static int read_bags(struct reading *reading, const STACK_OF(PKCS12_SAFEBAG) *bags, int depth) {
    if (depth > KEY_FORMATS_MOST_DEPTH) return KEY_FORMATS_TOO_MANY_ITEMS;
    int code = KEY_FORMATS_OK;
    for (int index = 0; index < sk_PKCS12_SAFEBAG_num(bags) && code == KEY_FORMATS_OK; index++)
        code = read_bag(reading, sk_PKCS12_SAFEBAG_value(bags, index), depth);
    return code;
}

static int read_part(struct reading *reading, PKCS7 *part) {
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    int code = KEY_FORMATS_OK;
    if (PKCS7_type_is_data(part)) {
        bags = PKCS12_unpack_p7data(part);
        if (!bags) code = KEY_FORMATS_DAMAGED;
    } else if (PKCS7_type_is_encrypted(part)) {
        if (!part->d.encrypted || !part->d.encrypted->enc_data) return KEY_FORMATS_DAMAGED;
        code = key_formats_admit(&reading->budget, part->d.encrypted->enc_data->algorithm);
        if (code == KEY_FORMATS_OK) {
            bags = PKCS12_unpack_p7encdata(part, reading->passphrase, reading->length);
            if (!bags) code = refusal(reading);
            else reading->has_opened = 1;
        }
    } else {
        /* Encrypted for a public key. */
        code = KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    }
    if (code == KEY_FORMATS_OK) code = read_bags(reading, bags, 0);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return code;
}

static int read_parts(struct reading *reading, const PKCS12 *file) {
    STACK_OF(PKCS7) *parts = PKCS12_unpack_authsafes(file);
    int code = KEY_FORMATS_OK;
    if (!parts) return KEY_FORMATS_DAMAGED;
    if (sk_PKCS7_num(parts) > KEY_FORMATS_MOST_PARTS) code = KEY_FORMATS_TOO_MANY_ITEMS;
    for (int index = 0; index < sk_PKCS7_num(parts) && code == KEY_FORMATS_OK; index++)
        code = read_part(reading, sk_PKCS7_value(parts, index));
    sk_PKCS7_pop_free(parts, PKCS7_free);
    return code;
}

/* Whether the authentication code can be computed here, and within the budget. */
static int admit_code(struct reading *reading, const PKCS12 *file) {
    const X509_ALGOR *algorithm = NULL;
    const ASN1_INTEGER *number = NULL;
    PKCS12_get0_mac(NULL, &algorithm, NULL, &number, file);
    if (!algorithm) return KEY_FORMATS_DAMAGED;
    if (!EVP_get_digestbyobj(algorithm->algorithm)) return KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    uint64_t iterations = 1;
    if (number && !ASN1_INTEGER_get_uint64(&iterations, number)) return KEY_FORMATS_TOO_MANY_ITERATIONS;
    /* There may be two attempts. */
    return iterations > KEY_FORMATS_MOST_ITERATIONS ? KEY_FORMATS_TOO_MANY_ITERATIONS
                                                    : key_formats_spend(&reading->budget, 2 * iterations);
}

static int nothing(void *context, const struct key_formats_item *item) {
    (void)context;
    (void)item;
    return KEY_FORMATS_OK;
}

/* Finds the form of the passphrase for which the authentication code is right. */
static int authenticate(struct reading *reading, PKCS12 *file, struct key_formats_bytes passphrase) {
    int code = admit_code(reading, file);
    if (code != KEY_FORMATS_OK) return code;
    if (passphrase.count > 0) {
        if (PKCS12_verify_mac(file, reading->passphrase, reading->length)) return KEY_FORMATS_OK;
    } else {
        /* Some programs derive from nothing, others from the two zero bytes that end an empty text. */
        reading->passphrase = NULL;
        if (PKCS12_verify_mac(file, NULL, 0)) return KEY_FORMATS_OK;
        reading->passphrase = "";
        if (PKCS12_verify_mac(file, "", 0)) return KEY_FORMATS_OK;
    }
    if (!reading->has_passphrase) return KEY_FORMATS_PASSPHRASE_REQUIRED;
    /* A passphrase that opens a part is right, so the file was changed. */
    struct reading trial = *reading;
    trial.found = nothing;
    int result = read_parts(&trial, file);
    return trial.has_opened || result == KEY_FORMATS_DAMAGED ? KEY_FORMATS_DAMAGED : KEY_FORMATS_WRONG_PASSPHRASE;
}

int key_formats_read_pkcs12(
    struct key_formats_bytes bytes, struct key_formats_bytes passphrase, key_formats_found found, void *context) {
    const unsigned char *end = bytes.bytes;
    PKCS12 *file = d2i_PKCS12(NULL, &end, (long)bytes.count);
    struct reading reading = {
        .budget = {KEY_FORMATS_MOST_ITERATIONS},
        .passphrase = passphrase.bytes ? (const char *)passphrase.bytes : NULL,
        .length = (int)passphrase.count,
        .has_passphrase = passphrase.bytes != NULL,
        .found = found,
        .context = context,
    };
    int code = KEY_FORMATS_DAMAGED;
    if (file && end == bytes.bytes + bytes.count) {
        code = PKCS12_mac_present(file) ? authenticate(&reading, file, passphrase) : KEY_FORMATS_OK;
        if (code == KEY_FORMATS_OK) code = read_parts(&reading, file);
    }
    PKCS12_free(file);
    ERR_clear_error();
    return code;
}
