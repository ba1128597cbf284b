/* A certificate. */
#ifndef CHATELAINE_SECCERTIFICATE_H
#define CHATELAINE_SECCERTIFICATE_H

#include <CoreFoundation/CFData.h>
#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The type of a certificate, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecCertificateGetTypeID(void);

/* A certificate of its DER, NULL for what is none. The allocator is not used. Two are equal when their bytes are. */
CF_EXPORT SecCertificateRef SecCertificateCreateWithData(CFAllocatorRef allocator, CFDataRef data);
CF_EXPORT CFDataRef SecCertificateCopyData(SecCertificateRef certificate);

CF_EXTERN_C_END

#endif
