/* A pointer to bytes, with their number. */
#ifndef CHATELAINE_SECASN1TYPES_H
#define CHATELAINE_SECASN1TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef struct cssm_data {
    size_t Length;
    uint8_t *Data;
} SecAsn1Item;

#endif
