/* A certificate together with its private key. */
#ifndef CHATELAINE_SECIDENTITY_H
#define CHATELAINE_SECIDENTITY_H

#include <CoreFoundation/CFArray.h>
#include <Security/SecBase.h>
#include <Security/SecIdentityTexts.h>

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

/*
 * The identity of a keychain that is preferred for a name: a URL, a host, an e-mail address or another. keyUsage has kSecAttrCanSign and its like, and is
 * NULL for any use; validIssuers has names in DER, of which one has to be the issuer's. NULL as an identity has none be preferred.
 */
CF_EXPORT OSStatus SecIdentitySetPreferred(SecIdentityRef identity, CFStringRef name, CFArrayRef keyUsage);
CF_EXPORT SecIdentityRef SecIdentityCopyPreferred(CFStringRef name, CFArrayRef keyUsage, CFArrayRef validIssuers);

/*
 * The identity of the system keychain that services of a domain use: kSecIdentityDomainDefault for all that have none of their own. Root alone sets it,
 * NULL removes it. errSecNotAvailable where there is none; actualDomain says whose it is, and may be NULL.
 */
CF_EXPORT OSStatus SecIdentitySetSystemIdentity(CFStringRef domain, SecIdentityRef idRef);
CF_EXPORT OSStatus SecIdentityCopySystemIdentity(CFStringRef domain, SecIdentityRef *idRef, CFStringRef *actualDomain);

CF_EXTERN_C_END

#endif
