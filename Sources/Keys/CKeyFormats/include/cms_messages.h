/*
 * Messages of CMS (RFC 5652): signed and enveloped. No type of OpenSSL's is in it, and no private key ever comes here.
 *
 * What needs one is done in two questions. A message that is to be signed is asked for once without its signature, which answers what has to be
 * signed, and once with it. An enveloped message is read once, which tells what the private key of a recipient is to be used on, and once with what came of that.
 */
#ifndef CMS_MESSAGES_H
#define CMS_MESSAGES_H

#include "key_formats.h"

/* What calls answer besides. */
enum {
    /* A signed message without its content, and nobody gave that. */
    KEY_FORMATS_CONTENT_REQUIRED = 13,
    /* A message with its content, and another one was given. */
    KEY_FORMATS_CONTENT_TWICE = 14,
    /* The key is not the one of the message, or the message was changed: nothing tells which. */
    KEY_FORMATS_NOT_OPENED = 15,
    /* The signature that was given is none of the certificate's key. */
    KEY_FORMATS_WRONG_SIGNATURE = 16,
};

enum { KEY_FORMATS_SIGNED = 1, KEY_FORMATS_ENVELOPED = 2 };

enum {
    /* Signers of a message: two are many. */
    KEY_FORMATS_MOST_SIGNERS = 64,
    /* Of a signer's attributes, in DER: what a key of a keychain signs at once. */
    KEY_FORMATS_MOST_SIGNED_BYTES = 64 * 1024,
    /* The key of an encrypted content, in bytes. */
    KEY_FORMATS_MOST_CONTENT_KEY = 64,
};

enum key_formats_digest { KEY_FORMATS_SHA1 = 1, KEY_FORMATS_SHA256 = 2, KEY_FORMATS_SHA384 = 3, KEY_FORMATS_SHA512 = 4 };

/* How it stands with a signature. */
enum {
    KEY_FORMATS_GOOD = 1,
    /* It is not of this signer's key, or was changed. */
    KEY_FORMATS_BAD_SIGNATURE = 2,
    /* The content is another one. */
    KEY_FORMATS_DIGEST_MISMATCH = 3,
    KEY_FORMATS_NO_CERTIFICATE = 4,
    /* An algorithm that nobody takes here. */
    KEY_FORMATS_UNSUPPORTED_SIGNATURE = 5,
    KEY_FORMATS_MALFORMED_SIGNATURE = 6,
};

struct key_formats_signer {
    int status;
    /* 0 for another one. */
    int digest;
    /* DER; NULL where nobody has it. */
    struct key_formats_bytes certificate;
    int has_time;
    /* Seconds since 1970, as the signer says it. */
    int64_t time;
};

enum {
    KEY_FORMATS_UNSUPPORTED_RECIPIENT = 0,
    KEY_FORMATS_PKCS1 = 1,
    KEY_FORMATS_OAEP = 2,
    /* X9.63 with ECDH. */
    KEY_FORMATS_AGREEMENT = 3,
};

struct key_formats_recipient {
    /* Which one of the message it is, from 0. */
    size_t number;
    /* Which one of the certificates that were given is its, from 0. */
    size_t certificate;
    int method;
    int digest;
    /* What the private key is to decrypt. */
    struct key_formats_bytes encrypted;
    /* Of an agreement: the other's public key, what goes into the derivation besides, and how many bytes are derived. */
    struct key_formats_bytes public_key;
    struct key_formats_bytes info;
    size_t key_bytes;
};

/* Told of what is in a message; what one does not answer with KEY_FORMATS_OK ends the reading. */
struct key_formats_listener {
    void *context;
    int (*certificate)(void *context, struct key_formats_bytes der);
    int (*signer)(void *context, const struct key_formats_signer *signer);
    int (*recipient)(void *context, const struct key_formats_recipient *recipient);
    int (*content)(void *context, struct key_formats_bytes content);
};

struct key_formats_message {
    struct key_formats_bytes bytes;
    /* The content of a message that has it not in itself; NULL for none. */
    struct key_formats_bytes content;
    /* Whose it may be, DER. One that cannot be read is passed over. */
    const struct key_formats_bytes *certificates;
    size_t certificate_count;
};

/* KEY_FORMATS_SIGNED, KEY_FORMATS_ENVELOPED, or 0 for what is neither. */
int key_formats_message_kind(struct key_formats_bytes bytes);
/* Tells of certificates, signers and the content. */
int key_formats_read_signed(const struct key_formats_message *message, const struct key_formats_listener *listener);
/* Tells of the recipients that have one of the certificates. */
int key_formats_read_enveloped(const struct key_formats_message *message, const struct key_formats_listener *listener);
/* Tells of the content. key: what the private key made of what was told of the recipient. */
int key_formats_open_enveloped(
    struct key_formats_bytes message, size_t recipient, struct key_formats_bytes key,
    const struct key_formats_listener *listener);

struct key_formats_signing {
    struct key_formats_bytes content;
    struct key_formats_bytes certificate;
    /* Certificates that go with it, DER. */
    const struct key_formats_bytes *others;
    size_t other_count;
    int digest;
    int is_detached;
    int has_time;
    int64_t time;
    /* Whether it says what its signer can decrypt. */
    int has_capabilities;
    /* The certificate for answers; NULL for none. */
    struct key_formats_bytes preference;
    /* NULL: what has to be signed is written, and no message. */
    struct key_formats_bytes signature;
};
int key_formats_write_signed(const struct key_formats_signing *signing, struct key_formats_output *output);
/* AES-256, for the keys of these certificates: RSA (PKCS#1), and curves. */
int key_formats_write_enveloped(
    struct key_formats_bytes content, const struct key_formats_bytes *certificates, size_t certificate_count,
    struct key_formats_output *output);

#endif
