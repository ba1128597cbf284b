#include "formats.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

void key_formats_free(struct key_formats_output *output) {
    OPENSSL_clear_free(output->bytes, output->count);
    *output = (struct key_formats_output){NULL, 0};
}

/* Stores the result of a function that writes DER. */
static int written(int length, unsigned char *bytes, struct key_formats_output *output) {
    ERR_clear_error();
    if (length <= 0) return KEY_FORMATS_UNSUITABLE;
    *output = (struct key_formats_output){bytes, (size_t)length};
    return KEY_FORMATS_OK;
}

static int write_pkcs8(
    EVP_PKEY *key, struct key_formats_bytes passphrase, int iterations, struct key_formats_output *output) {
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    unsigned char *bytes = NULL;
    int length = 0;
    if (info && !passphrase.bytes) {
        length = i2d_PKCS8_PRIV_KEY_INFO(info, &bytes);
    } else if (info) {
        X509_SIG *envelope = PKCS8_encrypt(
            -1, EVP_aes_256_cbc(), (const char *)passphrase.bytes, (int)passphrase.count, NULL, 0, iterations, info);
        if (envelope) length = i2d_X509_SIG(envelope, &bytes);
        X509_SIG_free(envelope);
    }
    PKCS8_PRIV_KEY_INFO_free(info);
    return written(length, bytes, output);
}

int key_formats_write_key(
    const struct key_formats_item *item, int form, struct key_formats_bytes passphrase, int iterations,
    struct key_formats_output *output) {
    int is_private = item->kind == KEY_FORMATS_PRIVATE_KEY;
    EVP_PKEY *key = key_formats_key(item->key_kind, is_private, item->bytes);
    if (!key) return KEY_FORMATS_UNSUITABLE;
    int has_form = item->key_kind == KEY_FORMATS_RSA || item->key_kind == KEY_FORMATS_EC;
    int code = KEY_FORMATS_UNSUITABLE;
    unsigned char *bytes = NULL;
    if (is_private && (form == KEY_FORMATS_PKCS8 || !has_form)) code = write_pkcs8(key, passphrase, iterations, output);
    else if (is_private) code = written(i2d_PrivateKey(key, &bytes), bytes, output);
    else code = written(i2d_PUBKEY(key, &bytes), bytes, output);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return code;
}

/* The certificates and keys of one file. */
struct key {
    EVP_PKEY *key;
    char *label;
    uint8_t id[SHA_DIGEST_LENGTH];
};

struct key_formats_bundle {
    STACK_OF(X509) *certificates;
    struct key *keys;
    size_t key_count;
};

enum { MOST_KEYS = 1024 };

struct key_formats_bundle *key_formats_bundle_new(void) {
    struct key_formats_bundle *bundle = calloc(1, sizeof *bundle);
    if (!bundle) return NULL;
    bundle->certificates = sk_X509_new_null();
    bundle->keys = calloc(MOST_KEYS, sizeof *bundle->keys);
    if (bundle->certificates && bundle->keys) return bundle;
    key_formats_bundle_free(bundle);
    return NULL;
}

void key_formats_bundle_free(struct key_formats_bundle *bundle) {
    if (!bundle) return;
    for (size_t index = 0; index < bundle->key_count; index++) {
        EVP_PKEY_free(bundle->keys[index].key);
        OPENSSL_free(bundle->keys[index].label);
    }
    sk_X509_pop_free(bundle->certificates, X509_free);
    free(bundle->keys);
    free(bundle);
}

static int add_certificate(struct key_formats_bundle *bundle, const struct key_formats_item *item) {
    const unsigned char *end = item->bytes.bytes;
    if (item->label.count > INT_MAX) return KEY_FORMATS_TOO_LARGE;
    X509 *certificate = d2i_X509(NULL, &end, (long)item->bytes.count);
    int works = certificate && end == item->bytes.bytes + item->bytes.count &&
        (!item->label.count || X509_alias_set1(certificate, item->label.bytes, (int)item->label.count)) &&
        sk_X509_push(bundle->certificates, certificate) > 0;
    if (!works) X509_free(certificate);
    return works ? KEY_FORMATS_OK : KEY_FORMATS_DAMAGED;
}

static int add_key(struct key_formats_bundle *bundle, const struct key_formats_item *item) {
    if (bundle->key_count == MOST_KEYS) return KEY_FORMATS_TOO_MANY_ITEMS;
    struct key *key = &bundle->keys[bundle->key_count];
    key->key = key_formats_key(item->key_kind, 1, item->bytes);
    if (!key->key) return KEY_FORMATS_UNSUITABLE;
    if (item->label.count) key->label = OPENSSL_strndup((const char *)item->label.bytes, item->label.count);
    SHA1(item->bytes.bytes, item->bytes.count, key->id);
    bundle->key_count++;
    return KEY_FORMATS_OK;
}

int key_formats_bundle_add(struct key_formats_bundle *bundle, const struct key_formats_item *item) {
    int code = KEY_FORMATS_UNSUITABLE;
    if (item->kind == KEY_FORMATS_CERTIFICATE) code = add_certificate(bundle, item);
    if (item->kind == KEY_FORMATS_PRIVATE_KEY) code = add_key(bundle, item);
    ERR_clear_error();
    return code;
}

/* Links each key to its certificate by the certificate's digest, as OpenSSL does. */
static int pair(const struct key_formats_bundle *bundle) {
    int works = 1;
    for (size_t index = 0; index < bundle->key_count; index++) {
        struct key *key = &bundle->keys[index];
        for (int number = 0; number < sk_X509_num(bundle->certificates) && works; number++) {
            X509 *certificate = sk_X509_value(bundle->certificates, number);
            const EVP_PKEY *public_key = X509_get0_pubkey(certificate);
            unsigned int length = 0;
            if (!public_key || EVP_PKEY_eq(public_key, key->key) != 1) continue;
            works = X509_digest(certificate, EVP_sha1(), key->id, &length) &&
                X509_keyid_set1(certificate, key->id, (int)sizeof key->id);
            break;
        }
    }
    return works;
}

static int add_safe(STACK_OF(PKCS7) **safes, STACK_OF(PKCS12_SAFEBAG) *bags, int cipher, int iterations, const char *passphrase) {
    int works = !bags || PKCS12_add_safe(safes, bags, cipher, iterations, passphrase);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return works;
}

static int fill(const struct key_formats_bundle *bundle, const char *passphrase, int iterations, STACK_OF(PKCS7) **safes) {
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    int works = 1;
    for (int index = 0; index < sk_X509_num(bundle->certificates) && works; index++)
        works = PKCS12_add_cert(&bags, sk_X509_value(bundle->certificates, index)) != NULL;
    if (!works) {
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
        return 0;
    }
    if (!add_safe(safes, bags, NID_aes_256_cbc, iterations, passphrase)) return 0;
    bags = NULL;
    for (size_t index = 0; index < bundle->key_count && works; index++) {
        struct key *key = &bundle->keys[index];
        PKCS12_SAFEBAG *bag = PKCS12_add_key(&bags, key->key, 0, iterations, NID_aes_256_cbc, passphrase);
        works = bag && (!key->label || PKCS12_add_friendlyname_utf8(bag, key->label, -1)) &&
            PKCS12_add_localkeyid(bag, key->id, (int)sizeof key->id);
    }
    if (!works) {
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
        return 0;
    }
    /* The keys are already encrypted. */
    return add_safe(safes, bags, -1, 0, NULL);
}

int key_formats_bundle_pkcs12(
    const struct key_formats_bundle *bundle, struct key_formats_bytes passphrase, int iterations,
    struct key_formats_output *output) {
    /* libcrypto's functions need a terminated string, which a zero would end before. */
    if (passphrase.count && memchr(passphrase.bytes, 0, passphrase.count)) return KEY_FORMATS_UNSUITABLE;
    char *text = OPENSSL_strndup(passphrase.bytes ? (const char *)passphrase.bytes : "", passphrase.count);
    STACK_OF(PKCS7) *safes = NULL;
    PKCS12 *file = NULL;
    unsigned char *bytes = NULL;
    int length = 0;
    if (text && pair(bundle) && fill(bundle, text, iterations, &safes) && safes)
        file = PKCS12_add_safes(safes, NID_pkcs7_data);
    if (file && PKCS12_set_mac(file, text, -1, NULL, 0, iterations, EVP_sha256())) length = i2d_PKCS12(file, &bytes);
    PKCS12_free(file);
    sk_PKCS7_pop_free(safes, PKCS7_free);
    OPENSSL_clear_free(text, passphrase.count + 1);
    return written(length, bytes, output);
}

int key_formats_bundle_pkcs7(const struct key_formats_bundle *bundle, struct key_formats_output *output) {
    PKCS7 *message = PKCS7_new();
    unsigned char *bytes = NULL;
    int works = message && bundle->key_count == 0 && PKCS7_set_type(message, NID_pkcs7_signed) &&
        PKCS7_content_new(message, NID_pkcs7_data);
    /* The message contains no content. */
    if (works) works = PKCS7_set_detached(message, 1) != 0;
    for (int index = 0; index < sk_X509_num(bundle->certificates) && works; index++)
        works = PKCS7_add_certificate(message, sk_X509_value(bundle->certificates, index));
    int length = works ? i2d_PKCS7(message, &bytes) : 0;
    PKCS7_free(message);
    return written(length, bytes, output);
}
