/* Random numbers. */
#ifndef CHATELAINE_SECRANDOM_H
#define CHATELAINE_SECRANDOM_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* A source of random numbers; there is one. */
typedef const struct __SecRandom *SecRandomRef;

/* The system's source: a null pointer, as on macOS. */
CF_EXPORT const SecRandomRef kSecRandomDefault;

/*
 * Fills memory with random bytes that are fit for keys, from the kernel's generator. The source is ignored.
 *
 * Returns errSecSuccess; errSecParam for memory that does not exist or cannot be written;
 * errSecInternalComponent when the kernel has no such generator. After a failure, do not use the contents.
 */
CF_EXPORT int SecRandomCopyBytes(SecRandomRef rnd, size_t count, void *bytes);

CF_EXTERN_C_END

#endif
