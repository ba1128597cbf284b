/*
 * Files of keys and certificates, as far as OpenSSL's libcrypto reads and writes them: PKCS#12, PKCS#8, PKCS#7, the keys and the encrypted
 * PEM of OpenSSL; for messages of CMS see cms_messages.h. No type of OpenSSL's is in it.
 *
 * Linked, and so loaded before the process shuts itself in: nothing but formatd, and what tests it, has this module. Unlike the keys of
 * programs it uses the library's own context, with no configuration, and with the old ciphers of files where the machine has them.
 */
#ifndef KEY_FORMATS_H
#define KEY_FORMATS_H

#include <stddef.h>
#include <stdint.h>

/* What calls answer. */
enum {
    KEY_FORMATS_OK = 0,
    /* It is nothing of the kind. */
    KEY_FORMATS_UNKNOWN = 1,
    /* It is, and is cut off or changed. */
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

/* The kinds of things, and of keys. */
enum { KEY_FORMATS_PRIVATE_KEY = 1, KEY_FORMATS_PUBLIC_KEY = 2, KEY_FORMATS_CERTIFICATE = 4 };
enum { KEY_FORMATS_RSA = 1, KEY_FORMATS_EC = 2, KEY_FORMATS_ED25519 = 3, KEY_FORMATS_X25519 = 4 };

enum {
    /* Of RSA, in bits. */
    KEY_FORMATS_RSA_LEAST = 1024,
    KEY_FORMATS_RSA_MOST = 8192,
    /* Of one file, iterations together: NSS and GnuTLS make 600000 for each of two or three parts, and a second brings about two millions. */
    KEY_FORMATS_MOST_ITERATIONS = 10000000,
    /* Blocks of scrypt's of one derivation, which is 16 MiB, twice and more what OpenSSL makes. Each counts as an iteration of the file's. */
    KEY_FORMATS_MOST_SCRYPT = 1 << 18,
    /* Rounds of bcrypt, of which OpenSSH makes 16 unless it is told otherwise; a thousand take five seconds. */
    KEY_FORMATS_MOST_BCRYPT = 1024,
    /* OpenSSH's has 16 bytes. */
    KEY_FORMATS_MOST_SALT = 64,
    /* Key and start of the largest cipher. */
    KEY_FORMATS_MOST_DERIVED = 64,
    /* Bytes of OpenSSH's that are encrypted: the largest key, and a comment. */
    KEY_FORMATS_MOST_OPEN_SSH = 64 * 1024,
    /* How deep bags are in bags. Nobody nests them. */
    KEY_FORMATS_MOST_DEPTH = 4,
    /* Parts of a PKCS#12 file, of which two are usual. */
    KEY_FORMATS_MOST_PARTS = 64,
};

struct key_formats_bytes {
    /* NULL where there is nothing. */
    const uint8_t *bytes;
    size_t count;
};

struct key_formats_item {
    int kind;
    /* Of a key; 0 for a certificate. */
    int key_kind;
    /* A certificate's DER, or a key's external representation. */
    struct key_formats_bytes bytes;
    /* Of a certificate: its public key's external representation, where keys here can be such. */
    struct key_formats_bytes certificate_key;
    /* Of a certificate: its names, in DER. */
    struct key_formats_bytes subject;
    struct key_formats_bytes issuer;
    /* UTF-8. */
    struct key_formats_bytes label;
    struct key_formats_bytes key_id;
};

/* Told of each thing in a file, in the order of the file; what it does not answer with KEY_FORMATS_OK ends the reading. The bytes are wiped afterwards. */
typedef int (*key_formats_found)(void *context, const struct key_formats_item *item);

/* Loads the ciphers. To be called before anything else, and before the process shuts itself in; 0 where there is no memory. */
int key_formats_start(void);

/* A passphrase is UTF-8; its bytes are NULL where there is none. */
int key_formats_read_pkcs12(
    struct key_formats_bytes file, struct key_formats_bytes passphrase, key_formats_found found, void *context);
int key_formats_read_pkcs7(struct key_formats_bytes file, key_formats_found found, void *context);
int key_formats_read_certificate(struct key_formats_bytes file, key_formats_found found, void *context);
int key_formats_read_pkcs8(struct key_formats_bytes file, key_formats_found found, void *context);
int key_formats_read_encrypted_pkcs8(
    struct key_formats_bytes file, struct key_formats_bytes passphrase, key_formats_found found, void *context);
/* PKCS#1 of an RSA key, SEC 1 of an EC key. */
int key_formats_read_private(int key_kind, struct key_formats_bytes file, key_formats_found found, void *context);
/* SubjectPublicKeyInfo; with KEY_FORMATS_RSA PKCS#1. */
int key_formats_read_public(int key_kind, struct key_formats_bytes file, key_formats_found found, void *context);

/* Decrypts the content of a block of PEM in its place. header: its lines, with a byte of zero at their end. */
int key_formats_decrypt_pem(char *header, struct key_formats_bytes passphrase, uint8_t *bytes, size_t *count);

/* Whether a cipher of OpenSSH's is known. */
int key_formats_knows_open_ssh(struct key_formats_bytes cipher);
/* Decrypts the private part of OpenSSH's file, with its key derived by so many rounds. bytes: as many as are encrypted. Whether it was the right passphrase tells what comes out. */
int key_formats_decrypt_open_ssh(
    struct key_formats_bytes cipher, struct key_formats_bytes passphrase, struct key_formats_bytes salt, uint32_t rounds,
    struct key_formats_bytes encrypted, uint8_t *bytes);

/* A private RSA key of its numbers, as OpenSSH writes them: n, e, d, p, q and the inverse of q. */
int key_formats_read_rsa_numbers(const struct key_formats_bytes numbers[6], key_formats_found found, void *context);

/* What was written; to be freed, by which it is wiped. */
struct key_formats_output {
    uint8_t *bytes;
    size_t count;
};
void key_formats_free(struct key_formats_output *output);

enum {
    /* PKCS#1 of RSA, SEC 1 of EC, PKCS#8 of others; SubjectPublicKeyInfo of public keys. */
    KEY_FORMATS_PLAIN = 1,
    /* PKCS#8; encrypted where there is a passphrase. */
    KEY_FORMATS_PKCS8 = 2,
};
int key_formats_write_key(
    const struct key_formats_item *item, int form, struct key_formats_bytes passphrase, int iterations,
    struct key_formats_output *output);

/* Certificates and keys that go into one file. */
struct key_formats_bundle;
struct key_formats_bundle *key_formats_bundle_new(void);
int key_formats_bundle_add(struct key_formats_bundle *bundle, const struct key_formats_item *item);
/* AES-256 and HMAC with SHA-256, for the keys, for the certificates, and for the whole; a key is told by its certificate's SHA-1. */
int key_formats_bundle_pkcs12(
    const struct key_formats_bundle *bundle, struct key_formats_bytes passphrase, int iterations,
    struct key_formats_output *output);
/* Certificates alone, signed by nobody. */
int key_formats_bundle_pkcs7(const struct key_formats_bundle *bundle, struct key_formats_output *output);
void key_formats_bundle_free(struct key_formats_bundle *bundle);

#endif
