/* A certificate. */
#ifndef CHATELAINE_SECCERTIFICATE_H
#define CHATELAINE_SECCERTIFICATE_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The type of a certificate, as CFGetTypeID tells it; no call returns one yet. */
CF_EXPORT CFTypeID SecCertificateGetTypeID(void);

CF_EXTERN_C_END

#endif
