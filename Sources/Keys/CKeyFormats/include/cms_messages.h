/*
 * CMS messages (RFC 5652): signed and enveloped. The interface exposes no type of OpenSSL, and no private key comes
 * here.
 *
 * Operations with a private key take two calls. To sign, the first call without a signature returns the bytes to sign,
 * and the second call takes the signature. To open an enveloped message, the first call reports what the recipient's
 * private key must work on, and the second call takes the result.
 */
#ifndef CMS_MESSAGES_H
#define CMS_MESSAGES_H

#include "key_formats.h"

/* Additional results of calls. */
enum {
    /* The signed message does not contain its content, and none was given. */
    KEY_FORMATS_CONTENT_REQUIRED = 13,
    /* The message contains its content, and another one was given. */
    KEY_FORMATS_CONTENT_TWICE = 14,
    /* The key does not fit the message, or the message was changed; the two cannot be told apart. */
    KEY_FORMATS_NOT_OPENED = 15,
    /* The given signature was not made with the certificate's key. */
    KEY_FORMATS_WRONG_SIGNATURE = 16,
};

enum { KEY_FORMATS_SIGNED = 1, KEY_FORMATS_ENVELOPED = 2 };

enum {
    /* Signers of a message; usual messages have one or two. */
    KEY_FORMATS_MOST_SIGNERS = 64,
    /* Bytes of a signer's attributes in DER, which a key of a keychain signs at once. */
    KEY_FORMATS_MOST_SIGNED_BYTES = 64 * 1024,
    /* Bytes of the key of an encrypted content. */
    KEY_FORMATS_MOST_CONTENT_KEY = 64,
};

enum key_formats_digest { KEY_FORMATS_SHA1 = 1, KEY_FORMATS_SHA256 = 2, KEY_FORMATS_SHA384 = 3, KEY_FORMATS_SHA512 = 4 };

/* The status of a signature. */
enum {
    KEY_FORMATS_GOOD = 1,
    /* The signature is not of this signer's key, or was changed. */
    KEY_FORMATS_BAD_SIGNATURE = 2,
    /* The content has another digest. */
    KEY_FORMATS_DIGEST_MISMATCH = 3,
    KEY_FORMATS_NO_CERTIFICATE = 4,
    /* The algorithm is not supported. */
    KEY_FORMATS_UNSUPPORTED_SIGNATURE = 5,
    KEY_FORMATS_MALFORMED_SIGNATURE = 6,
};

struct key_formats_signer {
    int status;
    /* 0 for an unsupported digest. */
    int digest;
    /* DER; NULL if the certificate is unknown. */
    struct key_formats_bytes certificate;
    int has_time;
    /* Seconds since 1970, as the signer claims. */
    int64_t time;
};

enum {
    KEY_FORMATS_UNSUPPORTED_RECIPIENT = 0,
    KEY_FORMATS_PKCS1 = 1,
    KEY_FORMATS_OAEP = 2,
    /* ECDH with the X9.63 derivation. */
    KEY_FORMATS_AGREEMENT = 3,
};

struct key_formats_recipient {
    /* The index of the recipient in the message, from 0. */
    size_t number;
    /* The index of the recipient's certificate among the given ones, from 0. */
    size_t certificate;
    int method;
    int digest;
    /* The bytes that the private key must decrypt. */
    struct key_formats_bytes encrypted;
    /*
     * For an agreement: the sender's public key, additional input of the derivation, and the number of derived bytes.
     */
    struct key_formats_bytes public_key;
    struct key_formats_bytes info;
    size_t key_bytes;
};

/* Receives the parts of a message. A callback that does not return KEY_FORMATS_OK ends the reading. */
struct key_formats_listener {
    void *context;
    int (*certificate)(void *context, struct key_formats_bytes der);
    int (*signer)(void *context, const struct key_formats_signer *signer);
    int (*recipient)(void *context, const struct key_formats_recipient *recipient);
    int (*content)(void *context, struct key_formats_bytes content);
};

struct key_formats_message {
    struct key_formats_bytes bytes;
    /* The content of a message that does not contain it; NULL if none is given. */
    struct key_formats_bytes content;
    /* Possible certificates of signers or recipients, in DER. Unreadable ones are skipped. */
    const struct key_formats_bytes *certificates;
    size_t certificate_count;
};

/* KEY_FORMATS_SIGNED, KEY_FORMATS_ENVELOPED, or 0 for neither. */
int key_formats_message_kind(struct key_formats_bytes bytes);
/* Reports certificates, signers and the content. */
int key_formats_read_signed(const struct key_formats_message *message, const struct key_formats_listener *listener);
/* Reports the recipients that have one of the certificates. */
int key_formats_read_enveloped(const struct key_formats_message *message, const struct key_formats_listener *listener);
/* Reports the content. key: the result of the private key for the recipient. */
int key_formats_open_enveloped(
    struct key_formats_bytes message, size_t recipient, struct key_formats_bytes key,
    const struct key_formats_listener *listener);

struct key_formats_signing {
    struct key_formats_bytes content;
    struct key_formats_bytes certificate;
    /* Further certificates in the message, DER. */
    const struct key_formats_bytes *others;
    size_t other_count;
    int digest;
    int is_detached;
    int has_time;
    int64_t time;
    /* Whether the message states which ciphers its signer can decrypt. */
    int has_capabilities;
    /* The certificate for answers; NULL for none. */
    struct key_formats_bytes preference;
    /* NULL to write the bytes to sign instead of a message. */
    struct key_formats_bytes signature;
};
int key_formats_write_signed(const struct key_formats_signing *signing, struct key_formats_output *output);
/* Encrypts with AES-256 for the keys of these certificates: RSA (PKCS#1) or EC. */
int key_formats_write_enveloped(
    struct key_formats_bytes content, const struct key_formats_bytes *certificates, size_t certificate_count,
    struct key_formats_output *output);

#endif
