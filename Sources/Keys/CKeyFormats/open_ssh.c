/* The ciphers of OpenSSH's private keys (PROTOCOL.key), with the names that ssh(1) uses. */
#include "formats.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <string.h>

enum { BLOCK = 16 };

struct cipher {
    const char *name, *algorithm;
    size_t key;
};

/* The current and former default ciphers of ssh-keygen(1), and their shorter keys. */
static const struct cipher ciphers[] = {
    {"aes256-ctr", "AES-256-CTR", 32}, {"aes192-ctr", "AES-192-CTR", 24}, {"aes128-ctr", "AES-128-CTR", 16},
    {"aes256-cbc", "AES-256-CBC", 32}, {"aes192-cbc", "AES-192-CBC", 24}, {"aes128-cbc", "AES-128-CBC", 16},
};

static const struct cipher *find(struct key_formats_bytes name) {
    for (size_t index = 0; index < sizeof ciphers / sizeof *ciphers; index++) {
        const struct cipher *cipher = &ciphers[index];
        if (strlen(cipher->name) == name.count && !memcmp(cipher->name, name.bytes, name.count)) return cipher;
    }
    return NULL;
}

int key_formats_knows_open_ssh(struct key_formats_bytes name) { return find(name) != NULL; }

int key_formats_decrypt_open_ssh(
    struct key_formats_bytes name, struct key_formats_bytes passphrase, struct key_formats_bytes salt, uint32_t rounds,
    struct key_formats_bytes encrypted, uint8_t *bytes) {
    const struct cipher *cipher = find(name);
    if (!cipher) return KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    if (!passphrase.bytes) return KEY_FORMATS_PASSPHRASE_REQUIRED;
    if (encrypted.count == 0 || encrypted.count % BLOCK != 0 || encrypted.count > KEY_FORMATS_MOST_OPEN_SSH)
        return KEY_FORMATS_DAMAGED;
    /* The key and the initial value of the cipher. */
    uint8_t key[KEY_FORMATS_MOST_DERIVED];
    int code = key_formats_derive_bcrypt(passphrase, salt, rounds, key, cipher->key + BLOCK);
    if (code != KEY_FORMATS_OK) return code;
    EVP_CIPHER *found = EVP_CIPHER_fetch(NULL, cipher->algorithm, NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0, rest = 0;
    int works = found && context && EVP_DecryptInit_ex(context, found, NULL, key, key + cipher->key) &&
        EVP_CIPHER_CTX_set_padding(context, 0) &&
        EVP_DecryptUpdate(context, bytes, &length, encrypted.bytes, (int)encrypted.count) &&
        EVP_DecryptFinal_ex(context, bytes + length, &rest) && (size_t)(length + rest) == encrypted.count;
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(found);
    OPENSSL_cleanse(key, sizeof key);
    ERR_clear_error();
    return works ? KEY_FORMATS_OK : KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
}
