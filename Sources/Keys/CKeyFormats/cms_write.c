/* Makes CMS messages. A signature is made elsewhere, where the private key is. */
#include "cms.h"

#include <limits.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/x509v3.h>
#include <string.h>

static const EVP_MD *digest_of(int number) {
    switch (number) {
    case KEY_FORMATS_SHA1: return EVP_sha1();
    case KEY_FORMATS_SHA256: return EVP_sha256();
    case KEY_FORMATS_SHA384: return EVP_sha384();
    case KEY_FORMATS_SHA512: return EVP_sha512();
    default: return NULL;
    }
}

static int written(int length, unsigned char *bytes, struct key_formats_output *output) {
    if (length <= 0) return KEY_FORMATS_UNSUITABLE;
    *output = (struct key_formats_output){bytes, (size_t)length};
    return KEY_FORMATS_OK;
}

/* Adds the ciphers with which the signer decrypts messages; weak ones that other programs list are left out. */
static int add_capabilities(CMS_SignerInfo *signer) {
    static const int ciphers[] = {NID_aes_256_cbc, NID_aes_192_cbc, NID_aes_128_cbc};
    STACK_OF(X509_ALGOR) *list = NULL;
    int works = 1;
    for (size_t index = 0; index < sizeof ciphers / sizeof *ciphers && works; index++)
        works = CMS_add_simple_smimecap(&list, ciphers[index], -1);
    works = works && CMS_add_smimecap(signer, list);
    sk_X509_ALGOR_pop_free(list, X509_ALGOR_free);
    return works;
}

/* Adds an attribute whose value is one encoded element. */
static int add_element(CMS_SignerInfo *signer, int name, const unsigned char *value, int length) {
    ASN1_STRING *element = ASN1_STRING_type_new(V_ASN1_OTHER);
    X509_ATTRIBUTE *attribute =
        element && ASN1_STRING_set(element, value, length) ? X509_ATTRIBUTE_create(name, V_ASN1_OTHER, element) : NULL;
    if (!attribute) ASN1_STRING_free(element);
    int works = attribute && CMS_signed_add1_attr(signer, attribute);
    X509_ATTRIBUTE_free(attribute);
    return works;
}

/* Adds the certificate for encrypted answers, by its issuer and serial number: [0] of a choice (RFC 8551, 2.5.3). */
static int add_preference(CMS_SignerInfo *signer, struct key_formats_bytes der) {
    enum { CHOICE = 0 };
    X509 *certificate = key_formats_certificate(der);
    if (!certificate) return 0;
    const unsigned char *name = NULL;
    size_t name_length = 0;
    unsigned char *number = NULL, *value = NULL;
    int number_length = i2d_ASN1_INTEGER(X509_get0_serialNumber(certificate), &number), works = 0;
    if (number_length > 0 && X509_NAME_get0_der(X509_get_issuer_name(certificate), &name, &name_length) && name_length < 1 << 20) {
        int content = (int)name_length + number_length;
        int length = ASN1_object_size(1, content, CHOICE);
        value = length > 0 ? OPENSSL_malloc((size_t)length) : NULL;
        if (value) {
            unsigned char *place = value;
            ASN1_put_object(&place, 1, content, CHOICE, V_ASN1_CONTEXT_SPECIFIC);
            memcpy(place, name, name_length);
            memcpy(place + name_length, number, (size_t)number_length);
            works = add_element(signer, NID_id_smime_aa_encrypKeyPref, value, length);
        }
    }
    OPENSSL_free(value);
    OPENSSL_free(number);
    X509_free(certificate);
    return works;
}

static int add_attributes(CMS_SignerInfo *signer, const struct key_formats_signing *signing) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    /* A null pointer would mean that there is no content. */
    const void *content = signing->content.count ? (const void *)signing->content.bytes : "";
    int works = EVP_Digest(content, signing->content.count, digest, &length, digest_of(signing->digest), NULL) &&
        CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_contentType, V_ASN1_OBJECT, OBJ_nid2obj(NID_pkcs7_data), -1) &&
        CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_messageDigest, V_ASN1_OCTET_STRING, digest, (int)length);
    if (works && signing->has_time) {
        ASN1_TIME *time = ASN1_TIME_set(NULL, (time_t)signing->time);
        works = time && CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_signingTime, time->type, time, -1);
        ASN1_TIME_free(time);
    }
    if (works && signing->has_capabilities) works = add_capabilities(signer);
    if (works && signing->preference.bytes) works = add_preference(signer, signing->preference);
    return works;
}

static int add_others(CMS_ContentInfo *message, const struct key_formats_signing *signing) {
    int works = 1;
    for (size_t index = 0; index < signing->other_count && works; index++) {
        X509 *other = key_formats_certificate(signing->others[index]);
        works = other && CMS_add1_cert(message, other);
        /* A certificate that is already present is no failure. */
        if (other && !works && ERR_GET_REASON(ERR_peek_last_error()) == CMS_R_CERTIFICATE_ALREADY_PRESENT) works = 1;
        X509_free(other);
    }
    return works;
}

static int add_content(CMS_ContentInfo *message, struct key_formats_bytes content) {
    ASN1_OCTET_STRING **place = CMS_get0_content(message);
    if (!place) return 0;
    ASN1_OCTET_STRING_free(*place);
    *place = ASN1_OCTET_STRING_new();
    return *place && ASN1_STRING_set(*place, content.count ? (const void *)content.bytes : "", (int)content.count);
}

/* Whether the signature is valid in the encoded message, because only encoding sorts the attributes. */
static int is_good(CMS_ContentInfo *message) {
    unsigned char *bytes = NULL;
    int length = i2d_CMS_ContentInfo(message, &bytes), works = 0;
    const unsigned char *end = bytes;
    CMS_ContentInfo *read = length > 0 ? d2i_CMS_ContentInfo(NULL, &end, length) : NULL;
    if (read && CMS_set1_signers_certs(read, NULL, 0) == 1)
        works = CMS_SignerInfo_verify(sk_CMS_SignerInfo_value(CMS_get0_SignerInfos(read), 0)) == 1;
    CMS_ContentInfo_free(read);
    OPENSSL_free(bytes);
    return works;
}

static int finish(
    CMS_ContentInfo *message, CMS_SignerInfo *signer, const struct key_formats_signing *signing,
    struct key_formats_output *output) {
    unsigned char *bytes = NULL;
    if (!signing->signature.bytes) {
        int length = key_formats_signed_attributes(signer, &bytes);
        if (length <= KEY_FORMATS_MOST_SIGNED_BYTES) return written(length, bytes, output);
        OPENSSL_free(bytes);
        return KEY_FORMATS_TOO_LARGE;
    }
    if (!ASN1_STRING_set(CMS_SignerInfo_get0_signature(signer), signing->signature.bytes, (int)signing->signature.count))
        return KEY_FORMATS_TOO_LARGE;
    if (!is_good(message)) return KEY_FORMATS_WRONG_SIGNATURE;
    if (!signing->is_detached && !add_content(message, signing->content)) return KEY_FORMATS_TOO_LARGE;
    return written(i2d_CMS_ContentInfo(message, &bytes), bytes, output);
}

int key_formats_write_signed(const struct key_formats_signing *signing, struct key_formats_output *output) {
    const EVP_MD *digest = digest_of(signing->digest);
    X509 *certificate = key_formats_certificate(signing->certificate);
    EVP_PKEY *key = certificate ? X509_get0_pubkey(certificate) : NULL;
    int code = KEY_FORMATS_UNSUITABLE;
    if (certificate && !(key && (EVP_PKEY_is_a(key, "RSA") || EVP_PKEY_is_a(key, "EC")))) code = KEY_FORMATS_UNSUPPORTED_KEY;
    else if (certificate && digest && signing->content.count <= INT_MAX && signing->signature.count <= INT_MAX) {
        /* Only the public key is here, which is enough while nothing is signed. */
        const unsigned int flags = CMS_PARTIAL | CMS_BINARY | CMS_DETACHED | CMS_NOSMIMECAP;
        CMS_ContentInfo *message = CMS_sign(NULL, NULL, NULL, NULL, flags);
        CMS_SignerInfo *signer = message ? CMS_add1_signer(message, certificate, key, digest, flags) : NULL;
        if (signer && add_attributes(signer, signing) && add_others(message, signing)) code = finish(message, signer, signing, output);
        CMS_ContentInfo_free(message);
    }
    X509_free(certificate);
    ERR_clear_error();
    return code;
}

static int add_recipient(CMS_ContentInfo *message, struct key_formats_bytes der) {
    X509 *certificate = key_formats_certificate(der);
    if (!certificate) return KEY_FORMATS_DAMAGED;
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    int code = KEY_FORMATS_UNSUPPORTED_KEY;
    if (key && EVP_PKEY_is_a(key, "RSA")) {
        if (CMS_add1_recipient_cert(message, certificate, 0)) code = KEY_FORMATS_OK;
    } else if (key && EVP_PKEY_is_a(key, "EC")) {
        CMS_RecipientInfo *recipient = CMS_add1_recipient_cert(message, certificate, CMS_KEY_PARAM);
        EVP_PKEY_CTX *context = recipient ? CMS_RecipientInfo_get0_pkey_ctx(recipient) : NULL;
        /* By default, libcrypto would derive with SHA-1. */
        if (context && EVP_PKEY_CTX_set_ecdh_kdf_md(context, EVP_sha256()) > 0) code = KEY_FORMATS_OK;
    }
    X509_free(certificate);
    return code;
}

int key_formats_write_enveloped(
    struct key_formats_bytes content, const struct key_formats_bytes *certificates, size_t certificate_count,
    struct key_formats_output *output) {
    if (certificate_count == 0 || content.count > INT_MAX) return KEY_FORMATS_UNSUITABLE;
    const unsigned int flags = CMS_BINARY | CMS_PARTIAL;
    CMS_ContentInfo *message = CMS_encrypt(NULL, NULL, EVP_aes_256_cbc(), flags);
    BIO *source = BIO_new_mem_buf(content.count ? (const void *)content.bytes : "", (int)content.count);
    unsigned char *bytes = NULL;
    int code = message && source ? KEY_FORMATS_OK : KEY_FORMATS_TOO_LARGE;
    for (size_t index = 0; index < certificate_count && code == KEY_FORMATS_OK; index++)
        code = add_recipient(message, certificates[index]);
    if (code == KEY_FORMATS_OK && !CMS_final(message, source, NULL, CMS_BINARY)) code = KEY_FORMATS_UNSUITABLE;
    if (code == KEY_FORMATS_OK) code = written(i2d_CMS_ContentInfo(message, &bytes), bytes, output);
    BIO_free(source);
    CMS_ContentInfo_free(message);
    ERR_clear_error();
    return code;
}
