/* Reads signed CMS messages. The trust of certificates is not checked here. */
#include "cms.h"

#include <openssl/asn1t.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/objects.h>

int key_formats_digest_number(int name) {
    switch (name) {
    case NID_sha1: return KEY_FORMATS_SHA1;
    case NID_sha256: return KEY_FORMATS_SHA256;
    case NID_sha384: return KEY_FORMATS_SHA384;
    case NID_sha512: return KEY_FORMATS_SHA512;
    default: return 0;
    }
}

X509 *key_formats_certificate(struct key_formats_bytes der) {
    const unsigned char *end = der.bytes;
    X509 *certificate = der.bytes ? d2i_X509(NULL, &end, (long)der.count) : NULL;
    if (certificate && end == der.bytes + der.count) return certificate;
    X509_free(certificate);
    return NULL;
}

int key_formats_message_kind(struct key_formats_bytes bytes) {
    /* Parses the header of the outer element, and the identifier at its beginning. */
    const unsigned char *place = bytes.bytes;
    long length = 0;
    int tag = 0, class = 0;
    int kind = 0;
    int form = ASN1_get_object(&place, &length, &tag, &class, (long)bytes.count);
    if (!(form & 0x80) && (form & V_ASN1_CONSTRUCTED) && tag == V_ASN1_SEQUENCE && class == V_ASN1_UNIVERSAL) {
        ASN1_OBJECT *type = d2i_ASN1_OBJECT(NULL, &place, (long)(bytes.bytes + bytes.count - place));
        if (OBJ_obj2nid(type) == NID_pkcs7_signed) kind = KEY_FORMATS_SIGNED;
        if (OBJ_obj2nid(type) == NID_pkcs7_enveloped) kind = KEY_FORMATS_ENVELOPED;
        ASN1_OBJECT_free(type);
    }
    ERR_clear_error();
    return kind;
}

/* The attributes, encoded as they are signed. */
ASN1_ITEM_TEMPLATE(SIGNED_ATTRIBUTES) =
    ASN1_EX_TEMPLATE_TYPE(ASN1_TFLG_SET_ORDER, 0, attributes, X509_ATTRIBUTE)
static_ASN1_ITEM_TEMPLATE_END(SIGNED_ATTRIBUTES)

int key_formats_signed_attributes(const CMS_SignerInfo *signer, unsigned char **bytes) {
    STACK_OF(X509_ATTRIBUTE) *attributes = sk_X509_ATTRIBUTE_new_null();
    int works = attributes != NULL, length = 0;
    for (int index = 0; index < CMS_signed_get_attr_count(signer) && works; index++)
        works = sk_X509_ATTRIBUTE_push(attributes, CMS_signed_get_attr(signer, index)) > 0;
    if (works) length = ASN1_item_i2d((ASN1_VALUE *)attributes, bytes, ASN1_ITEM_rptr(SIGNED_ATTRIBUTES));
    sk_X509_ATTRIBUTE_free(attributes);
    return length;
}

/*
 * Whether the content could be the signed attributes of another message, whose signature would also fit this content.
 */
static int is_attributes(struct key_formats_bytes content) {
    const unsigned char *end = content.bytes;
    if (!content.bytes || content.count > KEY_FORMATS_MOST_SIGNED_BYTES) return 0;
    STACK_OF(X509_ATTRIBUTE) *read = (STACK_OF(X509_ATTRIBUTE) *)ASN1_item_d2i(
        NULL, &end, (long)content.count, ASN1_ITEM_rptr(SIGNED_ATTRIBUTES));
    int is = read && X509at_get_attr_by_NID(read, NID_pkcs9_messageDigest, -1) >= 0;
    sk_X509_ATTRIBUTE_pop_free(read, X509_ATTRIBUTE_free);
    return is;
}

static void read_time(const CMS_SignerInfo *signer, struct key_formats_signer *told) {
    int place = CMS_signed_get_attr_by_NID(signer, NID_pkcs9_signingTime, -1);
    if (place < 0) return;
    const ASN1_TYPE *value = X509_ATTRIBUTE_get0_type(CMS_signed_get_attr(signer, place), 0);
    ASN1_TIME *start = ASN1_TIME_set(NULL, 0);
    int days = 0, seconds = 0;
    if (value && start && (value->type == V_ASN1_UTCTIME || value->type == V_ASN1_GENERALIZEDTIME) &&
        ASN1_TIME_diff(&days, &seconds, start, (const ASN1_TIME *)value->value.asn1_string)) {
        told->has_time = 1;
        told->time = (int64_t)days * 86400 + seconds;
    }
    ASN1_TIME_free(start);
}

/* Whether the attributes have the form that RFC 5652 requires for a signature to count. */
static int has_right_form(CMS_ContentInfo *message, const CMS_SignerInfo *signer, struct key_formats_bytes content) {
    const ASN1_OBJECT *type = CMS_get0_eContentType(message);
    if (CMS_signed_get_attr_count(signer) < 0) return OBJ_obj2nid(type) == NID_pkcs7_data && !is_attributes(content);
    /* Each attribute must occur once, with one value. */
    const ASN1_OBJECT *said = CMS_signed_get0_data_by_OBJ(signer, OBJ_nid2obj(NID_pkcs9_contentType), -3, V_ASN1_OBJECT);
    return said && !OBJ_cmp(said, type) &&
        CMS_signed_get0_data_by_OBJ(signer, OBJ_nid2obj(NID_pkcs9_messageDigest), -3, V_ASN1_OCTET_STRING);
}

static int judged(CMS_ContentInfo *message, CMS_SignerInfo *signer, BIO *chain, struct key_formats_bytes content, int digest, const X509 *certificate) {
    if (!digest) return KEY_FORMATS_UNSUPPORTED_SIGNATURE;
    if (!certificate) return KEY_FORMATS_NO_CERTIFICATE;
    if (!has_right_form(message, signer, content)) return KEY_FORMATS_MALFORMED_SIGNATURE;
    if (CMS_signed_get_attr_count(signer) < 0)
        return CMS_SignerInfo_verify_content(signer, chain) == 1 ? KEY_FORMATS_GOOD : KEY_FORMATS_BAD_SIGNATURE;
    if (CMS_SignerInfo_verify(signer) != 1) return KEY_FORMATS_BAD_SIGNATURE;
    return CMS_SignerInfo_verify_content(signer, chain) == 1 ? KEY_FORMATS_GOOD : KEY_FORMATS_DIGEST_MISMATCH;
}

static int tell_signer(
    CMS_ContentInfo *message, CMS_SignerInfo *signer, BIO *chain, struct key_formats_bytes content,
    const struct key_formats_listener *listener) {
    X509 *certificate = NULL;
    X509_ALGOR *algorithm = NULL;
    CMS_SignerInfo_get0_algs(signer, NULL, &certificate, &algorithm, NULL);
    struct key_formats_signer told = {.digest = key_formats_digest_number(algorithm ? OBJ_obj2nid(algorithm->algorithm) : NID_undef)};
    told.status = judged(message, signer, chain, content, told.digest, certificate);
    read_time(signer, &told);
    unsigned char *der = NULL;
    int length = certificate ? i2d_X509(certificate, &der) : 0;
    if (length > 0) told.certificate = (struct key_formats_bytes){der, (size_t)length};
    int code = listener->signer(listener->context, &told);
    OPENSSL_free(der);
    return code;
}

/* Runs the content through the digests of the message. */
static int digest_all(BIO *chain, size_t *left) {
    unsigned char room[16384];
    int count;
    while ((count = BIO_read(chain, room, sizeof room)) > 0) *left -= *left < (size_t)count ? *left : (size_t)count;
    OPENSSL_cleanse(room, sizeof room);
    return count == 0 && *left == 0;
}

static int tell_signers(
    CMS_ContentInfo *message, const struct key_formats_message *given, struct key_formats_bytes content,
    const struct key_formats_listener *listener) {
    STACK_OF(X509) *known = sk_X509_new_null();
    int works = known != NULL;
    for (size_t index = 0; index < given->certificate_count && works; index++) {
        X509 *certificate = key_formats_certificate(given->certificates[index]);
        works = !certificate || sk_X509_push(known, certificate) > 0;
    }
    BIO *source = content.count > 0 ? BIO_new_mem_buf(content.bytes, (int)content.count) : BIO_new(BIO_s_null());
    BIO *chain = source ? CMS_dataInit(message, source) : NULL;
    size_t left = content.count;
    int code = works && source ? KEY_FORMATS_OK : KEY_FORMATS_TOO_LARGE;
    /* A digest is not supported by this library. */
    if (code == KEY_FORMATS_OK && !chain) code = KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    if (code == KEY_FORMATS_OK && !digest_all(chain, &left)) code = KEY_FORMATS_DAMAGED;
    if (code == KEY_FORMATS_OK) {
        (void)CMS_set1_signers_certs(message, known, 0);
        STACK_OF(CMS_SignerInfo) *signers = CMS_get0_SignerInfos(message);
        for (int index = 0; index < sk_CMS_SignerInfo_num(signers) && code == KEY_FORMATS_OK; index++)
            code = tell_signer(message, sk_CMS_SignerInfo_value(signers, index), chain, content, listener);
    }
    if (chain) BIO_free_all(chain);
    else BIO_free(source);
    sk_X509_pop_free(known, X509_free);
    return code;
}

static int tell_certificates(CMS_ContentInfo *message, const struct key_formats_listener *listener) {
    STACK_OF(X509) *certificates = CMS_get1_certs(message);
    int code = KEY_FORMATS_OK;
    for (int index = 0; index < sk_X509_num(certificates) && code == KEY_FORMATS_OK; index++) {
        unsigned char *der = NULL;
        int length = i2d_X509(sk_X509_value(certificates, index), &der);
        code = length > 0 ? listener->certificate(listener->context, (struct key_formats_bytes){der, (size_t)length})
                          : KEY_FORMATS_DAMAGED;
        OPENSSL_free(der);
    }
    sk_X509_pop_free(certificates, X509_free);
    return code;
}

/* Enters a constructed element, and limits `end` to its end if its length is definite. */
static int enter(const unsigned char **place, const unsigned char **end) {
    long length = 0;
    int tag = 0, class = 0;
    int form = ASN1_get_object(place, &length, &tag, &class, (long)(*end - *place));
    if (form & 0x80 || !(form & V_ASN1_CONSTRUCTED)) return 0;
    if (!(form & 1)) *end = *place + length;
    return 1;
}

/* Skips an element of definite length. */
static int skip(const unsigned char **place, const unsigned char *end) {
    long length = 0;
    int tag = 0, class = 0;
    int form = ASN1_get_object(place, &length, &tag, &class, (long)(end - *place));
    if (form & 0x81) return 0;
    *place += length;
    return 1;
}

/*
 * Whether a message names few digests. libcrypto runs the content through each. It builds a chain of them in a time
 * that grows with the square of their number, which nothing else limits.
 */
static int names_few_digests(struct key_formats_bytes bytes) {
    const unsigned char *place = bytes.bytes, *end = bytes.bytes + bytes.count;
    /* The path: message, its type, [0], signed data, its version, digests (RFC 5652, 3 and 5.1). */
    if (!enter(&place, &end) || !skip(&place, end) || !enter(&place, &end) || !enter(&place, &end) || !skip(&place, end) ||
        !enter(&place, &end))
        return 0;
    int count = 0;
    while (place < end && *place != 0 && count <= KEY_FORMATS_MOST_SIGNERS && skip(&place, end)) count++;
    return (place == end || *place == 0) && count <= KEY_FORMATS_MOST_SIGNERS;
}

int key_formats_read_signed(const struct key_formats_message *given, const struct key_formats_listener *listener) {
    const unsigned char *end = given->bytes.bytes;
    CMS_ContentInfo *message = d2i_CMS_ContentInfo(NULL, &end, (long)given->bytes.count);
    int code = KEY_FORMATS_DAMAGED;
    if (message && end == given->bytes.bytes + given->bytes.count && OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed) {
        ASN1_OCTET_STRING **place = CMS_get0_content(message);
        struct key_formats_bytes content = given->content;
        int signers = sk_CMS_SignerInfo_num(CMS_get0_SignerInfos(message));
        code = KEY_FORMATS_OK;
        if (place && *place) {
            if (content.bytes) code = KEY_FORMATS_CONTENT_TWICE;
            content = (struct key_formats_bytes){ASN1_STRING_get0_data(*place), (size_t)ASN1_STRING_length(*place)};
        }
        int has_content = content.bytes != NULL || (place && *place);
        if (signers > KEY_FORMATS_MOST_SIGNERS || !names_few_digests(given->bytes)) code = KEY_FORMATS_TOO_MANY_ITEMS;
        else if (code == KEY_FORMATS_OK && signers > 0 && !has_content) code = KEY_FORMATS_CONTENT_REQUIRED;
        if (code == KEY_FORMATS_OK) code = tell_certificates(message, listener);
        if (code == KEY_FORMATS_OK && signers > 0) code = tell_signers(message, given, content, listener);
        if (code == KEY_FORMATS_OK && has_content) code = listener->content(listener->context, content);
    }
    CMS_ContentInfo_free(message);
    ERR_clear_error();
    return code;
}
