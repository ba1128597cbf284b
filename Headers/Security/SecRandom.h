/* Random numbers. */
#ifndef CHATELAINE_SECRANDOM_H
#define CHATELAINE_SECRANDOM_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* A source of random numbers; there is one. */
typedef const struct __SecRandom *SecRandomRef;

/* The system's source; a null pointer, as it always was. */
CF_EXPORT const SecRandomRef kSecRandomDefault;

/*
 * Fills memory with random bytes that are fit for keys, from the kernel's generator. The source is not looked at.
 *
 * Returns errSecSuccess; errSecParam for memory that is not there or cannot be written;
 * errSecInternalComponent when the kernel has no such generator. After a failure the contents are not to be used.
 */
CF_EXPORT int SecRandomCopyBytes(SecRandomRef rnd, size_t count, void *bytes);

CF_EXTERN_C_END

#endif
