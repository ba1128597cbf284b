/* libcrypto's functions, looked up once (library.c). */
#ifndef CHATELAINE_CRYPTO_LIBRARY_H
#define CHATELAINE_CRYPTO_LIBRARY_H

#include "chatelaine_crypto.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

/* Every function of libcrypto that is used here; the table has a member with the name of each. */
#define CHATELAINE_CRYPTO_FUNCTIONS(F)                                                                                       \
    F(OSSL_LIB_CTX_new) F(CRYPTO_free) F(OPENSSL_cleanse) F(ERR_clear_error)                                                 \
    F(EVP_MD_fetch) F(EVP_Digest) F(EVP_MD_CTX_new) F(EVP_MD_CTX_free)                                                       \
    F(EVP_DigestSignInit_ex) F(EVP_DigestSign) F(EVP_DigestVerifyInit_ex) F(EVP_DigestVerify)                                \
    F(EVP_PKEY_free) F(EVP_PKEY_get_bits) F(EVP_PKEY_get_size)                                                               \
    F(EVP_PKEY_new_raw_private_key_ex) F(EVP_PKEY_new_raw_public_key_ex)                                                     \
    F(EVP_PKEY_get_raw_private_key) F(EVP_PKEY_get_raw_public_key)                                                           \
    F(EVP_PKEY_CTX_new_from_name) F(EVP_PKEY_CTX_new_from_pkey) F(EVP_PKEY_CTX_free)                                         \
    F(EVP_PKEY_keygen_init) F(EVP_PKEY_generate) F(EVP_PKEY_CTX_set_rsa_keygen_bits) F(EVP_PKEY_CTX_set_group_name)          \
    F(EVP_PKEY_fromdata_init) F(EVP_PKEY_fromdata) F(EVP_PKEY_public_check) F(EVP_PKEY_pairwise_check)                       \
    F(EVP_PKEY_get_octet_string_param) F(EVP_PKEY_get_bn_param)                                                              \
    F(EVP_PKEY_sign_init) F(EVP_PKEY_sign) F(EVP_PKEY_verify_init) F(EVP_PKEY_verify)                                        \
    F(EVP_PKEY_encrypt_init) F(EVP_PKEY_encrypt) F(EVP_PKEY_decrypt_init) F(EVP_PKEY_decrypt)                                \
    F(EVP_PKEY_derive_init) F(EVP_PKEY_derive_set_peer) F(EVP_PKEY_derive)                                                   \
    F(EVP_PKEY_CTX_set_signature_md) F(EVP_PKEY_CTX_set_rsa_padding) F(EVP_PKEY_CTX_set_rsa_pss_saltlen)                     \
    F(EVP_PKEY_CTX_set_rsa_mgf1_md) F(EVP_PKEY_CTX_set_rsa_oaep_md)                                                          \
    F(OSSL_DECODER_CTX_new_for_pkey) F(OSSL_DECODER_CTX_free) F(OSSL_DECODER_from_data)                                      \
    F(OSSL_PARAM_BLD_new) F(OSSL_PARAM_BLD_free) F(OSSL_PARAM_BLD_to_param) F(OSSL_PARAM_free)                               \
    F(OSSL_PARAM_BLD_push_utf8_string) F(OSSL_PARAM_BLD_push_octet_string) F(OSSL_PARAM_BLD_push_BN)                         \
    F(BN_secure_new) F(BN_bin2bn) F(BN_bn2binpad) F(BN_clear_free)                                                           \
    F(BN_CTX_secure_new) F(BN_CTX_free) F(BN_mul) F(BN_cmp) F(BN_copy) F(BN_sub_word) F(BN_is_zero) F(BN_is_one)             \
    F(BN_div) F(BN_mod_mul) F(BN_is_odd) F(BN_num_bits)                                                                     \
    F(EVP_Q_mac) F(RAND_priv_bytes_ex) F(EVP_CIPHER_fetch) F(EVP_CIPHER_free) F(EVP_CIPHER_CTX_new) F(EVP_CIPHER_CTX_free)   \
    F(EVP_CIPHER_CTX_ctrl) F(EVP_CIPHER_CTX_set_flags) F(EVP_CipherInit_ex2) F(EVP_CipherUpdate) F(EVP_CipherFinal_ex)                                   \
    F(i2d_PublicKey) F(i2d_PrivateKey) F(PKCS5_PBKDF2_HMAC)

struct chatelaine_library {
#define CHATELAINE_DECLARE(name) __typeof__(name) *name;
    CHATELAINE_CRYPTO_FUNCTIONS(CHATELAINE_DECLARE)
#undef CHATELAINE_DECLARE
    /* A separate context, so that no configuration of the machine or the program defines algorithms. */
    OSSL_LIB_CTX *context;
    EVP_MD *digests[CHATELAINE_DIGEST_COUNT];
};

/* The table; NULL if libcrypto cannot be loaded. */
const struct chatelaine_library *chatelaine_crypto_library(void);

struct chatelaine_key {
    EVP_PKEY *key;
    int kind;
    int is_private;
};

/* NULL for CHATELAINE_DIGEST_NONE, and for unknown numbers. */
static inline const EVP_MD *chatelaine_md(const struct chatelaine_library *crypto, int digest) {
    return digest > 0 && digest < CHATELAINE_DIGEST_COUNT ? crypto->digests[digest] : NULL;
}

#endif
