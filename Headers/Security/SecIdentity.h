/* A certificate together with its private key. */
#ifndef CHATELAINE_SECIDENTITY_H
#define CHATELAINE_SECIDENTITY_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The type of an identity, as CFGetTypeID tells it; no call returns one yet. */
CF_EXPORT CFTypeID SecIdentityGetTypeID(void);

CF_EXTERN_C_END

#endif
