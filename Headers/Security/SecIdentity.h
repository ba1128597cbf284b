/* A certificate together with its private key. */
#ifndef CHATELAINE_SECIDENTITY_H
#define CHATELAINE_SECIDENTITY_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The type of an identity, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecIdentityGetTypeID(void);

/* An identity of the two, NULL where the key is not that of the certificate. The allocator is not used. */
CF_EXPORT SecIdentityRef SecIdentityCreate(CFAllocatorRef allocator, SecCertificateRef certificate, SecKeyRef privateKey);

/* A certificate and its private key: in a file keychain or an array of such, or for NULL in the data protection keychain and then the search list. */
CF_EXPORT OSStatus SecIdentityCreateWithCertificate(
    CFTypeRef keychainOrArray, SecCertificateRef certificateRef, SecIdentityRef *identityRef);

CF_EXPORT OSStatus SecIdentityCopyCertificate(SecIdentityRef identityRef, SecCertificateRef *certificateRef);
CF_EXPORT OSStatus SecIdentityCopyPrivateKey(SecIdentityRef identityRef, SecKeyRef *privateKeyRef);

CF_EXTERN_C_END

#endif
