/*
 * Files of keys and certificates, read and written with OpenSSL's libcrypto: PKCS#12, PKCS#8, PKCS#7, and OpenSSL's
 * keys and encrypted PEM. For CMS messages see cms_messages.h. The interface exposes no type of OpenSSL.
 *
 * libcrypto is linked, and so loaded before the process enters its sandbox. Only formatd and its tests use this module.
 * Unlike the module for programs' keys, it uses the library's default context, without a configuration, and with the
 * old ciphers if the machine has them.
 */
#ifndef KEY_FORMATS_H
#define KEY_FORMATS_H

#include <stddef.h>
#include <stdint.h>

/* Results of calls. */
enum {
    KEY_FORMATS_OK = 0,
    /* The bytes have another format. */
    KEY_FORMATS_UNKNOWN = 1,
    /* The format is right, and the bytes are cut short or changed. */
    KEY_FORMATS_DAMAGED = 2,
    KEY_FORMATS_PASSPHRASE_REQUIRED = 3,
    KEY_FORMATS_WRONG_PASSPHRASE = 4,
    KEY_FORMATS_UNSUPPORTED_KEY = 6,
    KEY_FORMATS_UNSUPPORTED_ENCRYPTION = 7,
    KEY_FORMATS_TOO_MANY_ITERATIONS = 9,
    KEY_FORMATS_TOO_MANY_ITEMS = 10,
    KEY_FORMATS_TOO_LARGE = 11,
    KEY_FORMATS_UNSUITABLE = 12,
};

/* The kinds of items and of keys. */
enum { KEY_FORMATS_PRIVATE_KEY = 1, KEY_FORMATS_PUBLIC_KEY = 2, KEY_FORMATS_CERTIFICATE = 4 };
enum { KEY_FORMATS_RSA = 1, KEY_FORMATS_EC = 2, KEY_FORMATS_ED25519 = 3, KEY_FORMATS_X25519 = 4 };

enum {
    /* Sizes of RSA keys, in bits. */
    KEY_FORMATS_RSA_LEAST = 1024,
    KEY_FORMATS_RSA_MOST = 8192,
    /*
     * All iterations of one file. NSS and GnuTLS use 600000 for each of two or three parts; a second is enough for
     * about two million.
     */
    KEY_FORMATS_MOST_ITERATIONS = 10000000,
    /*
     * Blocks of one scrypt derivation: 16 MiB, more than twice what OpenSSL writes. Each block counts as an iteration
     * of the file.
     */
    KEY_FORMATS_MOST_SCRYPT = 1 << 18,
    /* Rounds of bcrypt. OpenSSH uses 16 by default; a thousand take five seconds. */
    KEY_FORMATS_MOST_BCRYPT = 1024,
    /* Bytes of a salt; OpenSSH's has 16. */
    KEY_FORMATS_MOST_SALT = 64,
    /* Bytes of key and initial value for the largest cipher. */
    KEY_FORMATS_MOST_DERIVED = 64,
    /* Encrypted bytes of an OpenSSH file: the largest key, and a comment. */
    KEY_FORMATS_MOST_OPEN_SSH = 64 * 1024,
    /* The depth of nested bags, which usual files do not have. */
    KEY_FORMATS_MOST_DEPTH = 4,
    /* Parts of a PKCS#12 file; two are usual. */
    KEY_FORMATS_MOST_PARTS = 64,
    /*
     * Signatures that are verified to tell issuers of one name apart. A thousand take a second at the most with usual
     * keys, and a file has so many certificates.
     */
    KEY_FORMATS_MOST_VERIFIED = 1024,
};

struct key_formats_bytes {
    /* NULL if there is nothing. */
    const uint8_t *bytes;
    size_t count;
};

struct key_formats_item {
    int kind;
    /* The kind of a key; 0 for a certificate. */
    int key_kind;
    /* A certificate's DER, or a key's external representation. */
    struct key_formats_bytes bytes;
    /* For a certificate: the external representation of its public key, if keys of that kind are supported. */
    struct key_formats_bytes certificate_key;
    /* UTF-8. */
    struct key_formats_bytes label;
    struct key_formats_bytes key_id;
};

/*
 * Receives each item of a file, in order. A result other than KEY_FORMATS_OK ends the reading. The bytes are wiped
 * afterwards.
 */
typedef int (*key_formats_found)(void *context, const struct key_formats_item *item);

/* Loads the ciphers; 0 if there is no memory. Call it first, and before the process enters its sandbox. */
int key_formats_start(void);

/* A passphrase is UTF-8; its bytes are NULL if there is none. */
int key_formats_read_pkcs12(
    struct key_formats_bytes file, struct key_formats_bytes passphrase, key_formats_found found, void *context);
int key_formats_read_pkcs7(struct key_formats_bytes file, key_formats_found found, void *context);
int key_formats_read_certificate(struct key_formats_bytes file, key_formats_found found, void *context);
int key_formats_read_pkcs8(struct key_formats_bytes file, key_formats_found found, void *context);
int key_formats_read_encrypted_pkcs8(
    struct key_formats_bytes file, struct key_formats_bytes passphrase, key_formats_found found, void *context);
/* Reads PKCS#1 of an RSA key, SEC 1 of an EC key. */
int key_formats_read_private(int key_kind, struct key_formats_bytes file, key_formats_found found, void *context);
/* Reads SubjectPublicKeyInfo; with KEY_FORMATS_RSA, PKCS#1. */
int key_formats_read_public(int key_kind, struct key_formats_bytes file, key_formats_found found, void *context);

/*
 * Finds the issuer of each certificate among all of them: its index, or count if it is not there or issues itself.
 * Names are compared as RFC 5280 says. If several certificates have the name, the issuer is the one whose key made the
 * signature. Where none did, or after KEY_FORMATS_MOST_VERIFIED signatures, it is the first one. Returns 0 if there is
 * no memory.
 */
int key_formats_find_issuers(const struct key_formats_bytes *certificates, size_t count, size_t *issuers);

/* Decrypts the content of a PEM block in place. header: its lines, terminated by a zero byte. */
int key_formats_decrypt_pem(char *header, struct key_formats_bytes passphrase, uint8_t *bytes, size_t *count);

/* Whether a cipher of OpenSSH is supported. */
int key_formats_knows_open_ssh(struct key_formats_bytes cipher);
/*
 * Decrypts the private part of an OpenSSH file, with a key derived in so many rounds. bytes: room for all encrypted
 * bytes. Only the decrypted content shows whether the passphrase was right.
 */
int key_formats_decrypt_open_ssh(
    struct key_formats_bytes cipher, struct key_formats_bytes passphrase, struct key_formats_bytes salt, uint32_t rounds,
    struct key_formats_bytes encrypted, uint8_t *bytes);

/* Makes an RSA private key from its numbers, in OpenSSH's selection: n, e, d, p, q and the inverse of q. */
int key_formats_read_rsa_numbers(const struct key_formats_bytes numbers[6], key_formats_found found, void *context);

/* Written bytes; freeing them wipes them. */
struct key_formats_output {
    uint8_t *bytes;
    size_t count;
};
void key_formats_free(struct key_formats_output *output);

enum {
    /* PKCS#1 for RSA, SEC 1 for EC, PKCS#8 for others; SubjectPublicKeyInfo for public keys. */
    KEY_FORMATS_PLAIN = 1,
    /* PKCS#8, encrypted if there is a passphrase. */
    KEY_FORMATS_PKCS8 = 2,
};
int key_formats_write_key(
    const struct key_formats_item *item, int form, struct key_formats_bytes passphrase, int iterations,
    struct key_formats_output *output);

/* The certificates and keys of one file. */
struct key_formats_bundle;
struct key_formats_bundle *key_formats_bundle_new(void);
int key_formats_bundle_add(struct key_formats_bundle *bundle, const struct key_formats_item *item);
/*
 * Encrypts keys and certificates with AES-256, and authenticates the file with HMAC-SHA-256. The SHA-1 of a certificate
 * links it to its key.
 */
int key_formats_bundle_pkcs12(
    const struct key_formats_bundle *bundle, struct key_formats_bytes passphrase, int iterations,
    struct key_formats_output *output);
/* Writes certificates only, without a signature. */
int key_formats_bundle_pkcs7(const struct key_formats_bundle *bundle, struct key_formats_output *output);
void key_formats_bundle_free(struct key_formats_bundle *bundle);

#endif
