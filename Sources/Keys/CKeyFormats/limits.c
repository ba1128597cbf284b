/* Checks the cost of a key derivation before it runs, because a file may ask for two billion iterations. */
#include "formats.h"

#include <openssl/asn1t.h>
#include <openssl/err.h>
#include <openssl/objects.h>

int key_formats_spend(struct key_formats_budget *budget, uint64_t iterations) {
    if (iterations > budget->iterations) return KEY_FORMATS_TOO_MANY_ITERATIONS;
    budget->iterations -= iterations;
    return KEY_FORMATS_OK;
}

static int spend_number(struct key_formats_budget *budget, const ASN1_INTEGER *number) {
    uint64_t iterations = 0;
    if (!number) return KEY_FORMATS_DAMAGED;
    /* The number is negative, or exceeds 64 bits. */
    if (!ASN1_INTEGER_get_uint64(&iterations, number)) return KEY_FORMATS_TOO_MANY_ITERATIONS;
    if (iterations == 0) return KEY_FORMATS_DAMAGED;
    return key_formats_spend(budget, iterations);
}

/*
 * libcrypto limits the memory of scrypt, but not its time. A block takes no longer than a PBKDF2 iteration with the
 * slowest digest, and counts as one.
 */
static int admit_scrypt(struct key_formats_budget *budget, const SCRYPT_PARAMS *parameters) {
    uint64_t cost = 0, size = 0, lanes = 0;
    if (!ASN1_INTEGER_get_uint64(&cost, parameters->costParameter) ||
        !ASN1_INTEGER_get_uint64(&size, parameters->blockSize) ||
        !ASN1_INTEGER_get_uint64(&lanes, parameters->parallelizationParameter))
        return KEY_FORMATS_TOO_MANY_ITERATIONS;
    uint64_t most = KEY_FORMATS_MOST_SCRYPT;
    if (cost > most || size > most || lanes > most) return KEY_FORMATS_TOO_MANY_ITERATIONS;
    /* Each factor is at most 2^18, so the product is at most 2^54. */
    uint64_t blocks = cost * size * lanes;
    return blocks <= most ? key_formats_spend(budget, blocks) : KEY_FORMATS_TOO_MANY_ITERATIONS;
}

static int admit_pbes2(struct key_formats_budget *budget, const ASN1_TYPE *value) {
    PBE2PARAM *parameters = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), value);
    if (!parameters || !parameters->keyfunc || !parameters->encryption) {
        PBE2PARAM_free(parameters);
        return KEY_FORMATS_DAMAGED;
    }
    int code = KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    if (OBJ_obj2nid(parameters->keyfunc->algorithm) == NID_id_pbkdf2) {
        PBKDF2PARAM *derivation = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), parameters->keyfunc->parameter);
        code = derivation ? spend_number(budget, derivation->iter) : KEY_FORMATS_DAMAGED;
        PBKDF2PARAM_free(derivation);
    } else if (OBJ_obj2nid(parameters->keyfunc->algorithm) == NID_id_scrypt) {
        SCRYPT_PARAMS *derivation = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(SCRYPT_PARAMS), parameters->keyfunc->parameter);
        code = derivation ? admit_scrypt(budget, derivation) : KEY_FORMATS_DAMAGED;
        SCRYPT_PARAMS_free(derivation);
    }
    /* libcrypto reports an unsupported cipher as a wrong passphrase, so it is checked here. */
    if (code == KEY_FORMATS_OK && !EVP_get_cipherbyobj(parameters->encryption->algorithm))
        code = KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    PBE2PARAM_free(parameters);
    return code;
}

/* Whether libcrypto has the cipher of this encryption; the old ones are in a provider that may be missing. */
static int has_cipher(int algorithm) {
    int cipher = NID_undef, digest = NID_undef;
    if (!EVP_PBE_find(EVP_PBE_TYPE_OUTER, algorithm, &cipher, &digest, NULL)) return 0;
    EVP_CIPHER *found = EVP_CIPHER_fetch(NULL, OBJ_nid2sn(cipher), NULL);
    EVP_CIPHER_free(found);
    ERR_clear_error();
    return found != NULL;
}

int key_formats_admit(struct key_formats_budget *budget, const X509_ALGOR *algorithm) {
    if (!algorithm) return KEY_FORMATS_DAMAGED;
    int name = OBJ_obj2nid(algorithm->algorithm);
    if (name == NID_pbes2) return admit_pbes2(budget, algorithm->parameter);
    if (!has_cipher(name)) return KEY_FORMATS_UNSUPPORTED_ENCRYPTION;
    PBEPARAM *parameters = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), algorithm->parameter);
    int code = parameters ? spend_number(budget, parameters->iter) : KEY_FORMATS_DAMAGED;
    PBEPARAM_free(parameters);
    return code;
}
