/*
 * Reads enveloped CMS messages. libcrypto opens them only with a private key, which is never here. So this file
 * describes their structure to libcrypto's ASN.1 parser, and reports what a recipient's key must work on.
 */
#include "cms.h"

#include <openssl/asn1t.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <string.h>

/* The structures of RFC 5652, 6, with choices numbered as there. */
typedef struct {
    X509_NAME *issuer;
    ASN1_INTEGER *number;
} NAMED;
typedef struct {
    int type;
    union {
        NAMED *named;
        ASN1_OCTET_STRING *key_id;
    } d;
} IDENTIFIER;
typedef struct {
    ASN1_INTEGER *version;
    IDENTIFIER *identifier;
    X509_ALGOR *algorithm;
    ASN1_OCTET_STRING *key;
} TRANSPORT;
typedef struct {
    ASN1_OCTET_STRING *key_id;
    ASN1_GENERALIZEDTIME *date;
    ASN1_TYPE *other;
} KEY_IDENTIFIER;
typedef struct {
    int type;
    union {
        NAMED *named;
        KEY_IDENTIFIER *key;
    } d;
} AGREE_IDENTIFIER;
typedef struct {
    AGREE_IDENTIFIER *identifier;
    ASN1_OCTET_STRING *key;
} AGREE_KEY;
DEFINE_STACK_OF(AGREE_KEY)
typedef struct {
    X509_ALGOR *algorithm;
    ASN1_BIT_STRING *key;
} PUBLIC_KEY;
typedef struct {
    int type;
    union {
        NAMED *named;
        ASN1_OCTET_STRING *key_id;
        PUBLIC_KEY *key;
    } d;
} ORIGINATOR;
typedef struct {
    ASN1_INTEGER *version;
    ORIGINATOR *originator;
    ASN1_OCTET_STRING *material;
    X509_ALGOR *algorithm;
    STACK_OF(AGREE_KEY) *keys;
} AGREEMENT;
typedef struct {
    int type;
    union {
        TRANSPORT *transport;
        AGREEMENT *agreement;
        STACK_OF(ASN1_TYPE) *other;
    } d;
} RECIPIENT;
DEFINE_STACK_OF(RECIPIENT)
typedef struct {
    ASN1_OBJECT *type;
    X509_ALGOR *algorithm;
    ASN1_OCTET_STRING *bytes;
} CONTENT;
typedef struct {
    ASN1_INTEGER *version;
    STACK_OF(ASN1_TYPE) *originator;
    STACK_OF(RECIPIENT) *recipients;
    CONTENT *content;
    STACK_OF(X509_ATTRIBUTE) *attributes;
} ENVELOPE;
typedef struct {
    ASN1_OBJECT *type;
    ENVELOPE *envelope;
} MESSAGE;

ASN1_SEQUENCE(NAMED) = {
    ASN1_SIMPLE(NAMED, issuer, X509_NAME), ASN1_SIMPLE(NAMED, number, ASN1_INTEGER),
} static_ASN1_SEQUENCE_END(NAMED)
ASN1_CHOICE(IDENTIFIER) = {
    ASN1_SIMPLE(IDENTIFIER, d.named, NAMED), ASN1_IMP(IDENTIFIER, d.key_id, ASN1_OCTET_STRING, 0),
} static_ASN1_CHOICE_END(IDENTIFIER)
ASN1_SEQUENCE(TRANSPORT) = {
    ASN1_SIMPLE(TRANSPORT, version, ASN1_INTEGER), ASN1_SIMPLE(TRANSPORT, identifier, IDENTIFIER),
    ASN1_SIMPLE(TRANSPORT, algorithm, X509_ALGOR), ASN1_SIMPLE(TRANSPORT, key, ASN1_OCTET_STRING),
} static_ASN1_SEQUENCE_END(TRANSPORT)
ASN1_SEQUENCE(KEY_IDENTIFIER) = {
    ASN1_SIMPLE(KEY_IDENTIFIER, key_id, ASN1_OCTET_STRING), ASN1_OPT(KEY_IDENTIFIER, date, ASN1_GENERALIZEDTIME),
    ASN1_OPT(KEY_IDENTIFIER, other, ASN1_ANY),
} static_ASN1_SEQUENCE_END(KEY_IDENTIFIER)
ASN1_CHOICE(AGREE_IDENTIFIER) = {
    ASN1_SIMPLE(AGREE_IDENTIFIER, d.named, NAMED), ASN1_IMP(AGREE_IDENTIFIER, d.key, KEY_IDENTIFIER, 0),
} static_ASN1_CHOICE_END(AGREE_IDENTIFIER)
ASN1_SEQUENCE(AGREE_KEY) = {
    ASN1_SIMPLE(AGREE_KEY, identifier, AGREE_IDENTIFIER), ASN1_SIMPLE(AGREE_KEY, key, ASN1_OCTET_STRING),
} static_ASN1_SEQUENCE_END(AGREE_KEY)
ASN1_SEQUENCE(PUBLIC_KEY) = {
    ASN1_SIMPLE(PUBLIC_KEY, algorithm, X509_ALGOR), ASN1_SIMPLE(PUBLIC_KEY, key, ASN1_BIT_STRING),
} static_ASN1_SEQUENCE_END(PUBLIC_KEY)
ASN1_CHOICE(ORIGINATOR) = {
    ASN1_SIMPLE(ORIGINATOR, d.named, NAMED), ASN1_IMP(ORIGINATOR, d.key_id, ASN1_OCTET_STRING, 0),
    ASN1_IMP(ORIGINATOR, d.key, PUBLIC_KEY, 1),
} static_ASN1_CHOICE_END(ORIGINATOR)
ASN1_SEQUENCE(AGREEMENT) = {
    ASN1_SIMPLE(AGREEMENT, version, ASN1_INTEGER), ASN1_EXP(AGREEMENT, originator, ORIGINATOR, 0),
    ASN1_EXP_OPT(AGREEMENT, material, ASN1_OCTET_STRING, 1), ASN1_SIMPLE(AGREEMENT, algorithm, X509_ALGOR),
    ASN1_SEQUENCE_OF(AGREEMENT, keys, AGREE_KEY),
} static_ASN1_SEQUENCE_END(AGREEMENT)
ASN1_CHOICE(RECIPIENT) = {
    ASN1_SIMPLE(RECIPIENT, d.transport, TRANSPORT), ASN1_IMP(RECIPIENT, d.agreement, AGREEMENT, 1),
    ASN1_IMP_SEQUENCE_OF(RECIPIENT, d.other, ASN1_ANY, 2), ASN1_IMP_SEQUENCE_OF(RECIPIENT, d.other, ASN1_ANY, 3),
    ASN1_IMP_SEQUENCE_OF(RECIPIENT, d.other, ASN1_ANY, 4),
} static_ASN1_CHOICE_END(RECIPIENT)
enum { IS_TRANSPORT = 0, IS_AGREEMENT = 1, IS_NAMED = 0, IS_PUBLIC_KEY = 2 };
ASN1_SEQUENCE(CONTENT) = {
    ASN1_SIMPLE(CONTENT, type, ASN1_OBJECT), ASN1_SIMPLE(CONTENT, algorithm, X509_ALGOR),
    ASN1_IMP_OPT(CONTENT, bytes, ASN1_OCTET_STRING, 0),
} static_ASN1_SEQUENCE_END(CONTENT)
ASN1_SEQUENCE(ENVELOPE) = {
    ASN1_SIMPLE(ENVELOPE, version, ASN1_INTEGER), ASN1_IMP_SEQUENCE_OF_OPT(ENVELOPE, originator, ASN1_ANY, 0),
    ASN1_SET_OF(ENVELOPE, recipients, RECIPIENT), ASN1_SIMPLE(ENVELOPE, content, CONTENT),
    ASN1_IMP_SET_OF_OPT(ENVELOPE, attributes, X509_ATTRIBUTE, 1),
} static_ASN1_SEQUENCE_END(ENVELOPE)
ASN1_SEQUENCE(MESSAGE) = {
    ASN1_SIMPLE(MESSAGE, type, ASN1_OBJECT), ASN1_EXP(MESSAGE, envelope, ENVELOPE, 0),
} static_ASN1_SEQUENCE_END(MESSAGE)

static MESSAGE *read_message(struct key_formats_bytes bytes) {
    const unsigned char *end = bytes.bytes;
    MESSAGE *message = (MESSAGE *)ASN1_item_d2i(NULL, &end, (long)bytes.count, ASN1_ITEM_rptr(MESSAGE));
    if (message && end == bytes.bytes + bytes.count && OBJ_obj2nid(message->type) == NID_pkcs7_enveloped) return message;
    ASN1_item_free((ASN1_VALUE *)message, ASN1_ITEM_rptr(MESSAGE));
    return NULL;
}

static struct key_formats_bytes bytes_of(const ASN1_STRING *text) {
    return (struct key_formats_bytes){ASN1_STRING_get0_data(text), (size_t)ASN1_STRING_length(text)};
}

static int is_named(const NAMED *named, const X509 *certificate) {
    return !X509_NAME_cmp(named->issuer, X509_get_issuer_name(certificate)) &&
        !ASN1_INTEGER_cmp(named->number, X509_get0_serialNumber(certificate));
}

static int has_key_id(const ASN1_OCTET_STRING *key_id, X509 *certificate) {
    const ASN1_OCTET_STRING *own = X509_get0_subject_key_id(certificate);
    return own && !ASN1_OCTET_STRING_cmp(own, key_id);
}

/* The index of a recipient's certificate; the count of certificates if there is none. */
static size_t find(const NAMED *named, const ASN1_OCTET_STRING *key_id, X509 *const *certificates, size_t count) {
    size_t place = 0;
    for (; place < count; place++) {
        X509 *certificate = certificates[place];
        if (certificate && (named ? is_named(named, certificate) : has_key_id(key_id, certificate))) break;
    }
    return place;
}

static int digest_in(const X509_ALGOR *algorithm) {
    /* The default digest is SHA-1. */
    return algorithm ? key_formats_digest_number(OBJ_obj2nid(algorithm->algorithm)) : KEY_FORMATS_SHA1;
}

/* Accepts a single digest for both uses and no label; other parameters are not in use. */
static void read_oaep(const X509_ALGOR *algorithm, struct key_formats_recipient *told) {
    RSA_OAEP_PARAMS *parameters = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(RSA_OAEP_PARAMS), algorithm->parameter);
    if (!parameters) return;
    X509_ALGOR *inner = NULL;
    int digest = digest_in(parameters->hashFunc), mask = KEY_FORMATS_SHA1, has_label = 0;
    if (parameters->maskGenFunc) {
        if (OBJ_obj2nid(parameters->maskGenFunc->algorithm) == NID_mgf1)
            inner = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(X509_ALGOR), parameters->maskGenFunc->parameter);
        mask = inner ? digest_in(inner) : 0;
    }
    if (parameters->pSourceFunc) {
        const ASN1_TYPE *label = parameters->pSourceFunc->parameter;
        has_label = !label || label->type != V_ASN1_OCTET_STRING || ASN1_STRING_length(label->value.octet_string) != 0;
    }
    if (digest && digest == mask && !has_label) {
        told->method = KEY_FORMATS_OAEP;
        told->digest = digest;
    }
    X509_ALGOR_free(inner);
    RSA_OAEP_PARAMS_free(parameters);
}

static int tell_transport(
    const TRANSPORT *transport, struct key_formats_recipient told, X509 *const *certificates, size_t count,
    const struct key_formats_listener *listener) {
    const IDENTIFIER *identifier = transport->identifier;
    told.certificate = identifier->type == IS_NAMED ? find(identifier->d.named, NULL, certificates, count)
                                                    : find(NULL, identifier->d.key_id, certificates, count);
    if (told.certificate == count) return KEY_FORMATS_OK;
    int name = OBJ_obj2nid(transport->algorithm->algorithm);
    if (name == NID_rsaEncryption) told.method = KEY_FORMATS_PKCS1;
    if (name == NID_rsaesOaep) read_oaep(transport->algorithm, &told);
    told.encrypted = bytes_of(transport->key);
    return listener->recipient(listener->context, &told);
}

/* The cofactor of the supported curves is 1, so both schemes give the same result. */
static int digest_of_scheme(int name) {
    switch (name) {
    case NID_dhSinglePass_stdDH_sha1kdf_scheme:
    case NID_dhSinglePass_cofactorDH_sha1kdf_scheme: return KEY_FORMATS_SHA1;
    case NID_dhSinglePass_stdDH_sha256kdf_scheme:
    case NID_dhSinglePass_cofactorDH_sha256kdf_scheme: return KEY_FORMATS_SHA256;
    case NID_dhSinglePass_stdDH_sha384kdf_scheme:
    case NID_dhSinglePass_cofactorDH_sha384kdf_scheme: return KEY_FORMATS_SHA384;
    case NID_dhSinglePass_stdDH_sha512kdf_scheme:
    case NID_dhSinglePass_cofactorDH_sha512kdf_scheme: return KEY_FORMATS_SHA512;
    default: return 0;
    }
}

/* The cipher that wraps the content key; NULL if it is not supported. */
static const EVP_CIPHER *wrap_of(const AGREEMENT *agreement, X509_ALGOR **algorithm) {
    *algorithm = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(X509_ALGOR), agreement->algorithm->parameter);
    const EVP_CIPHER *cipher = *algorithm ? EVP_get_cipherbyobj((*algorithm)->algorithm) : NULL;
    return cipher && EVP_CIPHER_get_mode(cipher) == EVP_CIPH_WRAP_MODE ? cipher : NULL;
}

static int tell_agreement(
    const AGREEMENT *agreement, struct key_formats_recipient told, X509 *const *certificates, size_t count,
    const struct key_formats_listener *listener) {
    X509_ALGOR *wrap = NULL;
    const EVP_CIPHER *cipher = wrap_of(agreement, &wrap);
    unsigned char *info = NULL;
    int length = 0;
    told.digest = digest_of_scheme(OBJ_obj2nid(agreement->algorithm->algorithm));
    if (cipher && told.digest && agreement->originator->type == IS_PUBLIC_KEY) {
        told.key_bytes = (size_t)EVP_CIPHER_get_key_length(cipher);
        length = CMS_SharedInfo_encode(&info, wrap, agreement->material, (int)told.key_bytes);
    }
    if (length > 0) {
        told.method = KEY_FORMATS_AGREEMENT;
        told.public_key = bytes_of(agreement->originator->d.key->key);
        told.info = (struct key_formats_bytes){info, (size_t)length};
    }
    int code = KEY_FORMATS_OK;
    for (int index = 0; index < sk_AGREE_KEY_num(agreement->keys) && code == KEY_FORMATS_OK; index++, told.number++) {
        const AGREE_KEY *key = sk_AGREE_KEY_value(agreement->keys, index);
        const AGREE_IDENTIFIER *identifier = key->identifier;
        told.certificate = identifier->type == IS_NAMED ? find(identifier->d.named, NULL, certificates, count)
                                                        : find(NULL, identifier->d.key->key_id, certificates, count);
        if (told.certificate == count) continue;
        told.encrypted = bytes_of(key->key);
        code = listener->recipient(listener->context, &told);
    }
    OPENSSL_free(info);
    X509_ALGOR_free(wrap);
    return code;
}

/*
 * The cipher of the content; NULL if it is not supported. Ciphers without padding authenticate, and belong to another
 * kind of message.
 */
static const EVP_CIPHER *cipher_of(const CONTENT *content) {
    const EVP_CIPHER *cipher = EVP_get_cipherbyobj(content->algorithm->algorithm);
    return cipher && EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CBC_MODE ? cipher : NULL;
}

int key_formats_read_enveloped(const struct key_formats_message *given, const struct key_formats_listener *listener) {
    MESSAGE *message = read_message(given->bytes);
    X509 **certificates = OPENSSL_zalloc((given->certificate_count + 1) * sizeof *certificates);
    int code = !message ? KEY_FORMATS_DAMAGED : certificates ? KEY_FORMATS_OK : KEY_FORMATS_TOO_LARGE;
    if (code == KEY_FORMATS_OK && given->content.bytes) code = KEY_FORMATS_CONTENT_TWICE;
    /* Checked before the caller is asked to use a key in vain. */
    if (code == KEY_FORMATS_OK && !cipher_of(message->envelope->content)) code = KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    if (code == KEY_FORMATS_OK)
        for (size_t index = 0; index < given->certificate_count; index++)
            certificates[index] = key_formats_certificate(given->certificates[index]);
    struct key_formats_recipient told = {0};
    const STACK_OF(RECIPIENT) *recipients = message ? message->envelope->recipients : NULL;
    for (int index = 0; index < sk_RECIPIENT_num(recipients) && code == KEY_FORMATS_OK; index++) {
        const RECIPIENT *recipient = sk_RECIPIENT_value(recipients, index);
        if (recipient->type == IS_AGREEMENT) {
            code = tell_agreement(recipient->d.agreement, told, certificates, given->certificate_count, listener);
            told.number += (size_t)sk_AGREE_KEY_num(recipient->d.agreement->keys);
        } else {
            if (recipient->type == IS_TRANSPORT)
                code = tell_transport(recipient->d.transport, told, certificates, given->certificate_count, listener);
            told.number++;
        }
    }
    for (size_t index = 0; certificates && index < given->certificate_count; index++) X509_free(certificates[index]);
    OPENSSL_free(certificates);
    ASN1_item_free((ASN1_VALUE *)message, ASN1_ITEM_rptr(MESSAGE));
    ERR_clear_error();
    return code;
}

/* The content key, from the result of the recipient's private key. */
static int unwrap(const MESSAGE *message, size_t number, struct key_formats_bytes key, uint8_t *made, size_t *count) {
    const STACK_OF(RECIPIENT) *recipients = message->envelope->recipients;
    size_t place = 0;
    for (int index = 0; index < sk_RECIPIENT_num(recipients); index++) {
        const RECIPIENT *recipient = sk_RECIPIENT_value(recipients, index);
        size_t own = recipient->type == IS_AGREEMENT ? (size_t)sk_AGREE_KEY_num(recipient->d.agreement->keys) : 1;
        if (number >= place + own) {
            place += own;
            continue;
        }
        if (recipient->type == IS_TRANSPORT) {
            /* A key that is too long counts as empty: neither fits a cipher. */
            *count = key.count <= *count ? key.count : 0;
            if (*count) memcpy(made, key.bytes, *count);
            return KEY_FORMATS_OK;
        }
        if (recipient->type != IS_AGREEMENT) return KEY_FORMATS_NOT_OPENED;
        const AGREEMENT *agreement = recipient->d.agreement;
        const ASN1_OCTET_STRING *wrapped = sk_AGREE_KEY_value(agreement->keys, (int)(number - place))->key;
        X509_ALGOR *algorithm = NULL;
        const EVP_CIPHER *cipher = wrap_of(agreement, &algorithm);
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        int length = 0;
        int works = context && cipher && key.count == (size_t)EVP_CIPHER_get_key_length(cipher) &&
            /* A wrapped key is longer than the key, so the unwrapped key fits. */
            ASN1_STRING_length(wrapped) > 0 && (size_t)ASN1_STRING_length(wrapped) <= *count;
        if (works) EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        works = works && EVP_DecryptInit_ex(context, cipher, NULL, key.bytes, NULL) &&
            EVP_DecryptUpdate(context, made, &length, ASN1_STRING_get0_data(wrapped), ASN1_STRING_length(wrapped)) && length > 0;
        EVP_CIPHER_CTX_free(context);
        X509_ALGOR_free(algorithm);
        *count = (size_t)length;
        return works ? KEY_FORMATS_OK : KEY_FORMATS_NOT_OPENED;
    }
    return KEY_FORMATS_NOT_OPENED;
}

static int decrypt(const CONTENT *content, const uint8_t *key, size_t count, const struct key_formats_listener *listener) {
    if (!content->bytes) return KEY_FORMATS_DAMAGED;
    const EVP_CIPHER *cipher = cipher_of(content);
    if (!cipher) return KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    size_t room = (size_t)ASN1_STRING_length(content->bytes) + EVP_MAX_BLOCK_LENGTH;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char *plain = OPENSSL_malloc(room);
    int length = 0, rest = 0, code = context && plain ? KEY_FORMATS_OK : KEY_FORMATS_TOO_LARGE;
    if (code == KEY_FORMATS_OK && !EVP_DecryptInit_ex(context, cipher, NULL, NULL, NULL)) code = KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    if (code == KEY_FORMATS_OK && EVP_CIPHER_asn1_to_param(context, content->algorithm->parameter) <= 0) code = KEY_FORMATS_DAMAGED;
    if (code == KEY_FORMATS_OK) {
        /*
         * A key that does not fit comes from a wrong block. A random key replaces it (RFC 3218, 2.3.2). So neither the
         * result nor its time shows a sender of many messages which blocks are right.
         */
        uint8_t chance[EVP_MAX_KEY_LENGTH];
        int fits = count > 0 &&
            ((size_t)EVP_CIPHER_CTX_get_key_length(context) == count || EVP_CIPHER_CTX_set_key_length(context, (int)count) > 0);
        int works = RAND_priv_bytes(chance, sizeof chance) == 1 &&
            EVP_DecryptInit_ex(context, NULL, NULL, fits ? key : chance, NULL) &&
            EVP_DecryptUpdate(context, plain, &length, ASN1_STRING_get0_data(content->bytes), ASN1_STRING_length(content->bytes)) &&
            EVP_DecryptFinal_ex(context, plain + length, &rest);
        code = works ? listener->content(listener->context, (struct key_formats_bytes){plain, (size_t)(length + rest)})
                     : KEY_FORMATS_NOT_OPENED;
    }
    EVP_CIPHER_CTX_free(context);
    OPENSSL_clear_free(plain, room);
    return code;
}

int key_formats_open_enveloped(
    struct key_formats_bytes bytes, size_t recipient, struct key_formats_bytes key,
    const struct key_formats_listener *listener) {
    MESSAGE *message = read_message(bytes);
    /* A wrapped key is one block longer, with old ciphers two. */
    uint8_t made[KEY_FORMATS_MOST_CONTENT_KEY + 2 * EVP_MAX_BLOCK_LENGTH];
    size_t count = sizeof made;
    int code = message ? unwrap(message, recipient, key, made, &count) : KEY_FORMATS_DAMAGED;
    if (code == KEY_FORMATS_OK) code = decrypt(message->envelope->content, made, count, listener);
    OPENSSL_cleanse(made, sizeof made);
    ASN1_item_free((ASN1_VALUE *)message, ASN1_ITEM_rptr(MESSAGE));
    ERR_clear_error();
    return code;
}
