/*
 * Keys, as far as this project uses them, over OpenSSL's libcrypto (decision 0016). No type of OpenSSL's is in it.
 *
 * The library is loaded by the first call that needs it, into a scope of its own: a program that has another OpenSSL or a
 * BoringSSL in it keeps that to itself, and we keep ours. Each function may be called from any thread, and a key used by several
 * at once.
 */
#ifndef CHATELAINE_CRYPTO_H
#define CHATELAINE_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

/* What calls answer. */
enum {
    CHATELAINE_CRYPTO_OK = 0,
    /* libcrypto cannot be loaded, or lacks something. */
    CHATELAINE_CRYPTO_MISSING = 1,
    /* What was given is no such key, or of a length that cannot be. */
    CHATELAINE_CRYPTO_INVALID = 2,
    /* A signature is not the one of those bytes. */
    CHATELAINE_CRYPTO_MISMATCH = 3,
    /* It could not be decrypted, or agreed upon. */
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

/* How RSA fills its block; other keys have none. */
enum { CHATELAINE_FILL_NONE = 0, CHATELAINE_FILL_PKCS1 = 1, CHATELAINE_FILL_PSS = 2, CHATELAINE_FILL_OAEP = 3 };

/* Of RSA, in bits: less is broken, more takes seconds. */
enum { CHATELAINE_RSA_LEAST = 1024, CHATELAINE_RSA_MOST = 8192 };

/* The longest external representation, signature or block, in bytes: an RSA key of the most bits. */
enum { CHATELAINE_KEY_BYTES = 8192, CHATELAINE_BLOCK_BYTES = CHATELAINE_RSA_MOST / 8, CHATELAINE_DIGEST_BYTES = 64 };

/* What is encrypted at once, in bytes: libcrypto counts with int. */
enum { CHATELAINE_MESSAGE_BYTES = 1 << 30 };

/* A private or a public key. It never changes. */
struct chatelaine_key;

/* A new private key; of EC 256, 384 or 521 bits, of the last two kinds whatever is said. */
int chatelaine_key_generate(int kind, int bits, struct chatelaine_key **key);

/*
 * A key in its external representation: PKCS#1 of RSA, X9.63 of EC (04, X, Y, and K of a private one), else the bytes themselves.
 * A private key whose halves do not belong together is none.
 */
int chatelaine_key_read(int kind, int is_private, const uint8_t *bytes, size_t count, struct chatelaine_key **key);

/*
 * A private key of which chatelaine_key_write wrote `bytes`, and that nobody can have changed since: whether its halves belong together is
 * not looked at again, which for P-256 takes longer than a signature.
 */
int chatelaine_key_reopen(int kind, const uint8_t *bytes, size_t count, struct chatelaine_key **key);

/* The external representation of a key, or of the public one of a private key. There is room for CHATELAINE_KEY_BYTES. */
int chatelaine_key_write(const struct chatelaine_key *key, int is_private, uint8_t *bytes, size_t *count);

int chatelaine_key_bits(const struct chatelaine_key *key);

void chatelaine_key_free(struct chatelaine_key *key);

/*
 * Signs a digest, or what stands for one; with Ed25519 the message itself. A signature of EC is in DER.
 *
 * fill, digest: of RSA. With CHATELAINE_FILL_NONE the bytes are the block; with PKCS1 and no digest they are what is filled up.
 * There is room for CHATELAINE_BLOCK_BYTES.
 */
int chatelaine_key_sign(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *signature,
    size_t *signature_count);

/* CHATELAINE_CRYPTO_MISMATCH where the signature is another one, of whatever form. */
int chatelaine_key_verify(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, const uint8_t *signature,
    size_t signature_count);

/* By RSA, with no filling, that of PKCS#1 v1.5 (to encrypt alone) or OAEP with that digest, also in the mask. There is room for CHATELAINE_BLOCK_BYTES. */
int chatelaine_key_encrypt(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count);
int chatelaine_key_decrypt(
    const struct chatelaine_key *key, int fill, int digest, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count);

/*
 * By RSA, of a block that was filled up by PKCS#1 v1.5. A filling that is wrong has a message as well, by chance of length and content,
 * and the same each time: whoever asks learns nothing from it. CHATELAINE_CRYPTO_FAILED for what is no block of the key's.
 */
int chatelaine_key_decrypt_pkcs1(
    const struct chatelaine_key *key, const uint8_t *bytes, size_t count, uint8_t *result, size_t *result_count);

/* What a private key and another's public key come to; at most 66 bytes. */
int chatelaine_key_agree(
    const struct chatelaine_key *key, const struct chatelaine_key *other, uint8_t *secret, size_t *secret_count);

/*
 * AES in Galois/Counter Mode, by a key of 16, 24 or 32 bytes: seals bytes, or opens them where the tag is theirs and that of the bytes in
 * the open. There is as much room for the result.
 */
int chatelaine_aes_gcm(
    int is_sealing, const uint8_t *key, size_t key_count, const uint8_t *nonce, size_t nonce_count, const uint8_t *open,
    size_t open_count, const uint8_t *bytes, size_t count, uint8_t *result, uint8_t tag[16]);

/* What wrapping adds to a key (RFC 3394), in bytes, and the longest key that is wrapped. */
enum { CHATELAINE_WRAP_BYTES = 8, CHATELAINE_WRAPPED_KEY_BYTES = 64 };

/*
 * AES key wrap (RFC 3394) with its usual beginning: wraps a key of 16 to CHATELAINE_WRAPPED_KEY_BYTES bytes, a multiple of eight, or unwraps one.
 * CHATELAINE_CRYPTO_FAILED where another key wrapped it. A result has eight bytes more, or fewer.
 */
int chatelaine_aes_wrap(
    int is_wrapping, const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t *result,
    size_t *result_count);

/* The most rounds of PBKDF2: above a minute's work. */
enum { CHATELAINE_PBKDF2_MOST_ROUNDS = 100000000 };

/* A key from a password: PBKDF2 with HMAC of that digest (RFC 8018, 5.2). */
int chatelaine_pbkdf2(
    int digest, const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, uint32_t rounds,
    uint8_t *result, size_t count);

/* Bytes by chance, for keys. */
int chatelaine_random(uint8_t *bytes, size_t count);

/* The digest of bytes; at most CHATELAINE_DIGEST_BYTES. */
int chatelaine_digest(int digest, const uint8_t *bytes, size_t count, uint8_t *result, size_t *result_count);

#endif
