/*
 * The key derivation of OpenSSH's encrypted private keys: PBKDF2 with bcrypt in place of HMAC, over SHA-512 digests
 * (bcrypt_pbkdf(3) of OpenBSD; Provos and Mazières, "A Future-Adaptable Password Scheme", 1999).
 *
 * No library of a distribution exports it, and libcrypto's Blowfish does not allow a start before its key schedule. So
 * this is a separate implementation. Blowfish starts with the digits of pi (Schneier, 1994), which are calculated here.
 */
#include "formats.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>

enum {
    ROUND_KEYS = 18,
    BOXES = 4,
    BOX = 256,
    WORDS = ROUND_KEYS + BOXES * BOX,
    DIGEST = 64,
    /* The words of one bcrypt output, whose text is "OxychromaticBlowfishSwatDynamite". */
    TEXT = 8,
    BLOCK = 4 * TEXT,
    /* The number of mixings of the key schedule, and of encryptions of the text. */
    MIXED = 64,
    /* Extra bits in the calculation of pi, so that rounding does not reach the used ones. */
    GUARD = 64,
};

/* The round keys, followed by the boxes, as one array. */
struct blowfish {
    uint32_t words[WORDS];
};

/* Adds or subtracts scale * factor * atan(1 / base) (Machin's formula). */
static int add_arctangent(BIGNUM *sum, const BIGNUM *scale, unsigned factor, unsigned base, int is_taken) {
    BIGNUM *power = BN_dup(scale), *term = BN_new();
    int works = power && term && BN_mul_word(power, factor) && BN_div_word(power, base) != (BN_ULONG)-1;
    for (unsigned odd = 1; works && !BN_is_zero(power); odd += 2) {
        works = BN_copy(term, power) && BN_div_word(term, odd) != (BN_ULONG)-1 &&
            ((odd % 4 == 1) == !is_taken ? BN_add(sum, sum, term) : BN_sub(sum, sum, term)) &&
            BN_div_word(power, base * base) != (BN_ULONG)-1;
    }
    BN_free(power);
    BN_free(term);
    return works;
}

/*
 * The fractional digits of pi; all zero if there was no memory. Calculated once, because it takes as long as some
 * rounds.
 */
static struct blowfish pi_digits;
static pthread_once_t pi_once = PTHREAD_ONCE_INIT;

static int calculate(struct blowfish *state) {
    uint8_t digits[4 * WORDS];
    BIGNUM *scale = BN_new(), *sum = BN_new();
    int works = scale && sum && BN_set_bit(scale, 32 * WORDS + GUARD) && (BN_zero(sum), 1) &&
        add_arctangent(sum, scale, 16, 5, 0) && add_arctangent(sum, scale, 4, 239, 1) && BN_rshift(sum, sum, GUARD) &&
        BN_mask_bits(sum, 32 * WORDS) && BN_bn2binpad(sum, digits, sizeof digits) == (int)sizeof digits;
    BN_free(scale);
    BN_free(sum);
    for (int index = 0; works && index < WORDS; index++) {
        const uint8_t *at = digits + 4 * index;
        state->words[index] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    return works;
}

static void calculate_once(void) {
    if (!calculate(&pi_digits)) memset(&pi_digits, 0, sizeof pi_digits);
}

/* NULL if there was no memory. */
static const struct blowfish *pi(void) {
    if (pthread_once(&pi_once, calculate_once) != 0 || !pi_digits.words[0]) return NULL;
    return &pi_digits;
}

static void encrypt(const struct blowfish *state, uint32_t *left, uint32_t *right) {
    const uint32_t *keys = state->words, *boxes = keys + ROUND_KEYS;
    uint32_t one = *left ^ keys[0], two = *right;
    for (int round = 1; round < ROUND_KEYS - 1; round++) {
        uint32_t mixed = boxes[one >> 24] + boxes[BOX + (one >> 16 & 0xFF)];
        mixed = (mixed ^ boxes[2 * BOX + (one >> 8 & 0xFF)]) + boxes[3 * BOX + (one & 0xFF)];
        uint32_t next = two ^ mixed ^ keys[round];
        two = one;
        one = next;
    }
    *left = two ^ keys[ROUND_KEYS - 1];
    *right = one;
}

/* The next word of a digest, which repeats from the start at its end. */
static uint32_t next_word(const uint8_t digest[DIGEST], size_t *place) {
    const uint8_t *at = digest + *place;
    *place = (*place + 4) % DIGEST;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Mixes a key into the state, and a salt if there is one. */
static void mix(struct blowfish *state, const uint8_t *salt, const uint8_t key[DIGEST]) {
    size_t place = 0;
    for (int index = 0; index < ROUND_KEYS; index++) state->words[index] ^= next_word(key, &place);
    uint32_t left = 0, right = 0;
    place = 0;
    for (int index = 0; index < WORDS; index += 2) {
        if (salt) {
            left ^= next_word(salt, &place);
            right ^= next_word(salt, &place);
        }
        encrypt(state, &left, &right);
        state->words[index] = left;
        state->words[index + 1] = right;
    }
}

static void bcrypt(
    const struct blowfish *start, struct blowfish *state, const uint8_t key[DIGEST], const uint8_t salt[DIGEST],
    uint8_t block[BLOCK]) {
    static const char text[BLOCK + 1] = "OxychromaticBlowfishSwatDynamite";
    *state = *start;
    mix(state, salt, key);
    for (int count = 0; count < MIXED; count++) {
        mix(state, NULL, salt);
        mix(state, NULL, key);
    }
    uint32_t words[TEXT];
    size_t place = 0;
    for (int index = 0; index < TEXT; index++) words[index] = next_word((const uint8_t *)text, &place);
    for (int count = 0; count < MIXED; count++)
        for (int index = 0; index < TEXT; index += 2) encrypt(state, &words[index], &words[index + 1]);
    /* The output is little-endian, unlike the rest of the algorithm. */
    for (int index = 0; index < BLOCK; index++) block[index] = (uint8_t)(words[index / 4] >> 8 * (index % 4));
    OPENSSL_cleanse(words, sizeof words);
}

static int sha512(const uint8_t *bytes, size_t count, uint8_t digest[DIGEST]) {
    return EVP_Digest(bytes, count, digest, NULL, EVP_sha512(), NULL);
}

int key_formats_derive_bcrypt(
    struct key_formats_bytes passphrase, struct key_formats_bytes salt, uint32_t rounds, uint8_t *key, size_t count) {
    if (rounds == 0 || salt.count == 0 || count == 0) return KEY_FORMATS_DAMAGED;
    if (rounds > KEY_FORMATS_MOST_BCRYPT) return KEY_FORMATS_TOO_MANY_ITERATIONS;
    uint8_t counted[KEY_FORMATS_MOST_SALT + 4];
    if (salt.count > KEY_FORMATS_MOST_SALT || count > KEY_FORMATS_MOST_DERIVED) return KEY_FORMATS_DAMAGED;
    struct {
        struct blowfish state;
        uint8_t key[DIGEST], salt[DIGEST], block[BLOCK], sum[BLOCK];
    } *work = OPENSSL_zalloc(sizeof *work);
    if (!work) return KEY_FORMATS_TOO_LARGE;
    const struct blowfish *start = pi();
    int works = start && sha512(passphrase.bytes, passphrase.count, work->key);
    memcpy(counted, salt.bytes, salt.count);
    /* The bytes of the blocks are interleaved in the key. */
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    for (size_t number = 0; works && number < blocks; number++) {
        uint8_t *counter = counted + salt.count;
        counter[0] = counter[1] = counter[2] = 0;
        counter[3] = (uint8_t)(number + 1);
        works = sha512(counted, salt.count + 4, work->salt);
        memset(work->sum, 0, BLOCK);
        for (uint32_t round = 0; works && round < rounds; round++) {
            bcrypt(start, &work->state, work->key, work->salt, work->block);
            for (int index = 0; index < BLOCK; index++) work->sum[index] ^= work->block[index];
            works = sha512(work->block, BLOCK, work->salt);
        }
        for (size_t index = 0; index * blocks + number < count && index < BLOCK; index++)
            key[index * blocks + number] = work->sum[index];
    }
    OPENSSL_clear_free(work, sizeof *work);
    return works ? KEY_FORMATS_OK : KEY_FORMATS_TOO_LARGE;
}
