/*
 * The key operations of this project over OpenSSL's libcrypto (decision 0016). The interface exposes no type of
 * OpenSSL.
 *
 * The first call that needs the library loads it, into a scope of its own. So a program may use another OpenSSL or a
 * BoringSSL without affecting this one. Each function may be called from any thread, and several threads may use a key
 * at once.
 */
#ifndef CHATELAINE_CRYPTO_H
#define CHATELAINE_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

/* Results of calls. */
enum {
    CHATELAINE_CRYPTO_OK = 0,
    /* libcrypto cannot be loaded, or lacks a function. */
    CHATELAINE_CRYPTO_MISSING = 1,
    /* The input is no valid key, or has an impossible length. */
    CHATELAINE_CRYPTO_INVALID = 2,
    /* The signature does not match the bytes. */
    CHATELAINE_CRYPTO_MISMATCH = 3,
    /* Decryption or agreement failed. */
    CHATELAINE_CRYPTO_FAILED = 4,
    CHATELAINE_CRYPTO_MEMORY = 5,
};

enum { CHATELAINE_KEY_RSA = 1, CHATELAINE_KEY_EC = 2, CHATELAINE_KEY_ED25519 = 3, CHATELAINE_KEY_X25519 = 4 };

enum {
    CHATELAINE_DIGEST_NONE = 0,
    CHATELAINE_DIGEST_SHA1 = 1,
    CHATELAINE_DIGEST_SHA224 = 2,
    CHATELAINE_DIGEST_SHA256 = 3,
    CHATELAINE_DIGEST_SHA384 = 4,
    CHATELAINE_DIGEST_SHA512 = 5,
    CHATELAINE_DIGEST_COUNT = 6,
};

/* The padding of an RSA block; other keys have none. */
enum { CHATELAINE_FILL_NONE = 0, CHATELAINE_FILL_PKCS1 = 1, CHATELAINE_FILL_PSS = 2, CHATELAINE_FILL_OAEP = 3 };

/* Sizes of RSA keys, in bits: smaller ones are broken, larger ones take seconds. */
enum { CHATELAINE_RSA_LEAST = 1024, CHATELAINE_RSA_MOST = 8192 };

/* The largest external representation, block or signature, and digest, in bytes, for the largest RSA key. */
enum { CHATELAINE_KEY_BYTES = 8192, CHATELAINE_BLOCK_BYTES = CHATELAINE_RSA_MOST / 8, CHATELAINE_DIGEST_BYTES = 64 };

/* The most bytes that are encrypted at once, and of an EC digest, because libcrypto counts with int. */
enum { CHATELAINE_MESSAGE_BYTES = 1 << 30 };

/* A private or public key. It never changes. */
struct chatelaine_key;

/*
 * Makes a new private key. EC has 256, 384 or 521 bits; the last two kinds ignore `bits`. Above 2048 bits libcrypto
 * makes RSA keys of even sizes only, so odd ones are CHATELAINE_CRYPTO_INVALID.
 */
int chatelaine_key_generate(int kind, int bits, struct chatelaine_key **key);

/*
 * Reads a key in its external representation: PKCS#1 for RSA; X9.63 for EC (04, X, Y, and K of a private key); the
 * bytes themselves for other keys. A private key whose halves do not match is rejected, and so are numbers that no RSA
 * key has.
 */
int chatelaine_key_read(int kind, int is_private, const uint8_t *bytes, size_t count, struct chatelaine_key **key);

/*
 * Reads a private key that chatelaine_key_write wrote, and that nobody can have changed since. It does not check again
 * that the halves match, which for P-256 takes longer than a signature.
 */
int chatelaine_key_reopen(int kind, const uint8_t *bytes, size_t count, struct chatelaine_key **key);

/*
 * Writes the external representation of a key, or of a private key's public key. There must be room for
 * CHATELAINE_KEY_BYTES.
 */
int chatelaine_key_write(const struct chatelaine_key *key, int is_private, uint8_t *bytes, size_t *count);

int chatelaine_key_bits(const struct chatelaine_key *key);

void chatelaine_key_free(struct chatelaine_key *key);

/*
 * Signs a digest or what stands for one; with Ed25519, the message itself. An EC signature is in DER.
 *
 * RSA takes a block of bytes at most, and EC CHATELAINE_MESSAGE_BYTES.
 *
 * fill, digest: for RSA. With CHATELAINE_FILL_NONE the bytes are the block; with PKCS1 and no digest they are padded as
 * they are. There must be room for CHATELAINE_BLOCK_BYTES.
 */
int chatelaine_key_sign(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *signature,
    size_t *signature_count);

/* Returns CHATELAINE_CRYPTO_MISMATCH for any other signature, also a malformed one. */
int chatelaine_key_verify(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, const uint8_t *signature,
    size_t signature_count);

/*
 * RSA without padding, with PKCS#1 v1.5 (encryption only), or with OAEP, which uses the digest for the mask too. There
 * must be room for CHATELAINE_BLOCK_BYTES.
 */
int chatelaine_key_encrypt(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count);
int chatelaine_key_decrypt(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count);

/*
 * Decrypts an RSA block with PKCS#1 v1.5 padding. A wrong padding gives a message too, with pseudorandom length and
 * content, always the same for one block. So the result reveals nothing about the padding. Returns
 * CHATELAINE_CRYPTO_FAILED for bytes that are no block of the key.
 */
int chatelaine_key_decrypt_pkcs1(
    const struct chatelaine_key *key, const uint8_t *bytes, size_t count, uint8_t *result, size_t *result_count);

/* The shared secret of a private key and another public key; at most 66 bytes. */
int chatelaine_key_agree(
    const struct chatelaine_key *key, const struct chatelaine_key *other, uint8_t *secret, size_t *secret_count);

/*
 * AES in Galois/Counter Mode with a key of 16, 24 or 32 bytes. Seals bytes, or opens them if the tag fits them and the
 * additional bytes in `open`. There must be room for `count` bytes of result.
 */
int chatelaine_aes_gcm(
    int is_sealing, const uint8_t *key, size_t key_count, const uint8_t *nonce, size_t nonce_count, const uint8_t *open,
    size_t open_count, const uint8_t *bytes, size_t count, uint8_t *result, uint8_t tag[16]);

/* The bytes that wrapping adds to a key (RFC 3394), and the most bytes of a wrapped key. */
enum { CHATELAINE_WRAP_BYTES = 8, CHATELAINE_WRAPPED_KEY_BYTES = 64 };

/*
 * AES key wrap (RFC 3394) with its default initial value. Wraps or unwraps a key of 16 to CHATELAINE_WRAPPED_KEY_BYTES
 * bytes, a multiple of eight. Returns CHATELAINE_CRYPTO_FAILED if another key wrapped it, or none. Wrapping adds eight bytes,
 * and unwrapping removes them.
 */
int chatelaine_aes_wrap(
    int is_wrapping, const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count);

/* The most rounds of PBKDF2: more than a minute's work. */
enum { CHATELAINE_PBKDF2_MOST_ROUNDS = 100000000 };

/* Derives a key from a password: PBKDF2 with HMAC of the digest (RFC 8018, 5.2). */
int chatelaine_pbkdf2(
    int digest, const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, uint32_t rounds,
    uint8_t *result, size_t count);

/* Random bytes for keys. */
int chatelaine_random(uint8_t *bytes, size_t count);

/* The digest of bytes; at most CHATELAINE_DIGEST_BYTES. */
int chatelaine_digest(int digest, const uint8_t *bytes, size_t count, uint8_t *result, size_t *result_count);

#endif
