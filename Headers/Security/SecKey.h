/* A cryptographic key. */
#ifndef CHATELAINE_SECKEY_H
#define CHATELAINE_SECKEY_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The type of a key, as CFGetTypeID tells it; no call returns one yet. */
CF_EXPORT CFTypeID SecKeyGetTypeID(void);

CF_EXTERN_C_END

#endif
