#include "formats.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <string.h>

/* Whether parsing reached the end of the file. */
static int is_all(const unsigned char *end, struct key_formats_bytes file) { return end == file.bytes + file.count; }

static int answer(EVP_PKEY *key, int is_private, key_formats_found found, void *context) {
    int code = key_formats_tell_key(key, is_private, NULL, found, context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return code;
}

/* A key that libcrypto rejects may be damaged, or of an unknown algorithm. */
static int answer_pkcs8(const PKCS8_PRIV_KEY_INFO *info, const struct key_formats_names *names, key_formats_found found, void *context) {
    EVP_PKEY *key = EVP_PKCS82PKEY(info);
    int code = KEY_FORMATS_DAMAGED;
    if (key) {
        code = key_formats_tell_key(key, 1, names, found, context);
    } else {
        const ASN1_OBJECT *algorithm = NULL;
        if (PKCS8_pkey_get0(&algorithm, NULL, NULL, NULL, info)) {
            int name = OBJ_obj2nid(algorithm);
            if (name != NID_rsaEncryption && name != NID_X9_62_id_ecPublicKey && name != NID_ED25519 && name != NID_X25519)
                code = KEY_FORMATS_UNSUPPORTED_KEY;
        }
    }
    EVP_PKEY_free(key);
    ERR_clear_error();
    return code;
}

int key_formats_read_pkcs8(struct key_formats_bytes file, key_formats_found found, void *context) {
    const unsigned char *end = file.bytes;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &end, (long)file.count);
    int code = info && is_all(end, file) ? answer_pkcs8(info, NULL, found, context) : KEY_FORMATS_DAMAGED;
    PKCS8_PRIV_KEY_INFO_free(info);
    ERR_clear_error();
    return code;
}

int key_formats_read_encrypted_pkcs8(
    struct key_formats_bytes file, struct key_formats_bytes passphrase, key_formats_found found, void *context) {
    const unsigned char *end = file.bytes;
    X509_SIG *envelope = d2i_X509_SIG(NULL, &end, (long)file.count);
    int code = KEY_FORMATS_DAMAGED;
    if (envelope && is_all(end, file)) {
        struct key_formats_budget budget = {KEY_FORMATS_MOST_ITERATIONS};
        const X509_ALGOR *algorithm = NULL;
        X509_SIG_get0(envelope, &algorithm, NULL);
        code = passphrase.bytes ? key_formats_admit(&budget, algorithm) : KEY_FORMATS_PASSPHRASE_REQUIRED;
        if (code == KEY_FORMATS_OK) {
            PKCS8_PRIV_KEY_INFO *info = PKCS8_decrypt(envelope, (const char *)passphrase.bytes, (int)passphrase.count);
            code = info ? answer_pkcs8(info, NULL, found, context) : KEY_FORMATS_WRONG_PASSPHRASE;
            PKCS8_PRIV_KEY_INFO_free(info);
        }
    }
    X509_SIG_free(envelope);
    ERR_clear_error();
    return code;
}

int key_formats_read_private(int key_kind, struct key_formats_bytes file, key_formats_found found, void *context) {
    const unsigned char *end = file.bytes;
    EVP_PKEY *key = d2i_PrivateKey(key_kind == KEY_FORMATS_RSA ? EVP_PKEY_RSA : EVP_PKEY_EC, NULL, &end, (long)file.count);
    if (key && !is_all(end, file)) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    return answer(key, 1, found, context);
}

int key_formats_read_public(int key_kind, struct key_formats_bytes file, key_formats_found found, void *context) {
    const unsigned char *end = file.bytes;
    if (key_kind == KEY_FORMATS_RSA) {
        EVP_PKEY *key = d2i_PublicKey(EVP_PKEY_RSA, NULL, &end, (long)file.count);
        if (key && !is_all(end, file)) {
            EVP_PKEY_free(key);
            key = NULL;
        }
        return answer(key, 0, found, context);
    }
    X509_PUBKEY *envelope = d2i_X509_PUBKEY(NULL, &end, (long)file.count);
    int code = KEY_FORMATS_DAMAGED;
    if (envelope && is_all(end, file)) {
        EVP_PKEY *key = X509_PUBKEY_get0(envelope);
        code = key ? key_formats_tell_key(key, 0, NULL, found, context) : KEY_FORMATS_UNSUPPORTED_KEY;
    }
    X509_PUBKEY_free(envelope);
    ERR_clear_error();
    return code;
}

/* Records the public key of a certificate in its item. */
struct noted {
    struct key_formats_item item;
    key_formats_found found;
    void *context;
};

static int note(void *context, const struct key_formats_item *key) {
    struct noted *noted = context;
    noted->item.certificate_key = key->bytes;
    return noted->found(noted->context, &noted->item);
}

int key_formats_tell_certificate(
    X509 *certificate, const struct key_formats_names *names, key_formats_found found, void *context) {
    unsigned char *made = NULL;
    int length = i2d_X509(certificate, &made);
    if (length <= 0) return KEY_FORMATS_DAMAGED;
    struct noted noted = {
        {.kind = KEY_FORMATS_CERTIFICATE, .bytes = {made, (size_t)length}}, found, context};
    if (names) {
        noted.item.label = names->label;
        noted.item.key_id = names->key_id;
    }
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    int code = key ? key_formats_tell_key(key, 0, NULL, note, &noted) : KEY_FORMATS_UNSUPPORTED_KEY;
    /* A certificate with an unsupported key is still reported. */
    if (code == KEY_FORMATS_UNSUPPORTED_KEY || (code == KEY_FORMATS_DAMAGED && !noted.item.certificate_key.bytes))
        code = found(context, &noted.item);
    OPENSSL_free(made);
    ERR_clear_error();
    return code;
}

int key_formats_read_certificate(struct key_formats_bytes file, key_formats_found found, void *context) {
    const unsigned char *end = file.bytes;
    X509 *certificate = d2i_X509(NULL, &end, (long)file.count);
    int code = certificate && is_all(end, file) ? key_formats_tell_certificate(certificate, NULL, found, context)
                                                : KEY_FORMATS_DAMAGED;
    X509_free(certificate);
    ERR_clear_error();
    return code;
}

int key_formats_read_pkcs7(struct key_formats_bytes file, key_formats_found found, void *context) {
    const unsigned char *end = file.bytes;
    PKCS7 *message = d2i_PKCS7(NULL, &end, (long)file.count);
    int code = KEY_FORMATS_DAMAGED;
    if (message && is_all(end, file) && PKCS7_type_is_signed(message) && message->d.sign) {
        code = KEY_FORMATS_OK;
        const STACK_OF(X509) *certificates = message->d.sign->cert;
        for (int index = 0; index < sk_X509_num(certificates) && code == KEY_FORMATS_OK; index++)
            code = key_formats_tell_certificate(sk_X509_value(certificates, index), NULL, found, context);
    }
    PKCS7_free(message);
    ERR_clear_error();
    return code;
}

static int give(char *room, int size, int is_writing, void *passphrase) {
    (void)is_writing;
    const struct key_formats_bytes *bytes = passphrase;
    if (bytes->count > (size_t)size) return -1;
    memcpy(room, bytes->bytes, bytes->count);
    return (int)bytes->count;
}

int key_formats_decrypt_pem(char *header, struct key_formats_bytes passphrase, uint8_t *bytes, size_t *count) {
    EVP_CIPHER_INFO cipher;
    long length = (long)*count;
    int code = KEY_FORMATS_OK;
    if (!PEM_get_EVP_CIPHER_INFO(header, &cipher)) code = KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    else if (!cipher.cipher) code = KEY_FORMATS_DAMAGED;
    else if (!passphrase.bytes) code = KEY_FORMATS_PASSPHRASE_REQUIRED;
    else if (!PEM_do_header(&cipher, bytes, &length, give, &passphrase)) code = KEY_FORMATS_WRONG_PASSPHRASE;
    *count = code == KEY_FORMATS_OK ? (size_t)length : 0;
    ERR_clear_error();
    return code;
}
