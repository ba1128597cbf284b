#ifndef CHATELAINE_ARGON2_H
#define CHATELAINE_ARGON2_H

#include <stddef.h>
#include <stdint.h>

/*
 * Argon2id, version 0x13 (RFC 9106), on the calling thread alone. Its memory is in pages of its own, which are in no
 * core dump and are wiped before they are returned.
 *
 * `memory` is in KiB. Returns 0, ENOMEM if the system has no such pages, and EINVAL for invalid parameters.
 */
int chatelaine_argon2id(
    const void *password, size_t password_size, const void *salt, size_t salt_size, uint32_t memory, uint32_t passes,
    uint32_t lanes, void *key, size_t key_size);

#endif
