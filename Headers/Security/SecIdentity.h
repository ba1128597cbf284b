/* Identities: certificates with their private keys. */
#ifndef CHATELAINE_SECIDENTITY_H
#define CHATELAINE_SECIDENTITY_H

#include <CoreFoundation/CFArray.h>
#include <Security/SecBase.h>
#include <Security/SecIdentityTexts.h>

CF_EXTERN_C_BEGIN

/* The type of an identity, as CFGetTypeID returns it. */
CF_EXPORT CFTypeID SecIdentityGetTypeID(void);

/* Makes an identity of a certificate and a key; NULL where the key does not belong to it. The allocator is ignored. */
CF_EXPORT SecIdentityRef SecIdentityCreate(CFAllocatorRef allocator, SecCertificateRef certificate, SecKeyRef privateKey);

/*
 * Finds the private key of a certificate in a file keychain, or in an array of file keychains. For NULL it searches the
 * data protection keychain, then the search list.
 */
CF_EXPORT OSStatus SecIdentityCreateWithCertificate(
    CFTypeRef keychainOrArray, SecCertificateRef certificateRef, SecIdentityRef *identityRef);

CF_EXPORT OSStatus SecIdentityCopyCertificate(SecIdentityRef identityRef, SecCertificateRef *certificateRef);
CF_EXPORT OSStatus SecIdentityCopyPrivateKey(SecIdentityRef identityRef, SecKeyRef *privateKeyRef);

/*
 * Sets or copies the preferred identity for a name: a URL, a host, an e-mail address or any other text.
 *
 * keyUsage has constants such as kSecAttrCanSign, and is NULL for any use. validIssuers has names in DER; the issuer
 * must have one of them. Setting NULL as the identity removes the preference.
 */
CF_EXPORT OSStatus SecIdentitySetPreferred(SecIdentityRef identity, CFStringRef name, CFArrayRef keyUsage);
CF_EXPORT SecIdentityRef SecIdentityCopyPreferred(CFStringRef name, CFArrayRef keyUsage, CFArrayRef validIssuers);

/*
 * Sets or copies the identity of the system keychain that the services of a domain use. kSecIdentityDomainDefault is
 * for all domains without an identity of their own.
 *
 * Only root may set it; NULL removes it. errSecNotAvailable where there is none. actualDomain receives the domain of
 * the identity, and may be NULL.
 */
CF_EXPORT OSStatus SecIdentitySetSystemIdentity(CFStringRef domain, SecIdentityRef idRef);
CF_EXPORT OSStatus SecIdentityCopySystemIdentity(CFStringRef domain, SecIdentityRef *idRef, CFStringRef *actualDomain);

CF_EXTERN_C_END

#endif
