/* Policies: the requirements that a certificate has to meet. */
#ifndef CHATELAINE_SECPOLICY_H
#define CHATELAINE_SECPOLICY_H

#include <CoreFoundation/CFDictionary.h>
#include <Security/SecBase.h>
#include <Security/SecPolicyTexts.h>

CF_EXTERN_C_BEGIN

/*
 * How an evaluation checks revocation. It uses answers that came with the certificates, and asks the servers that the
 * certificates name.
 */
enum {
    kSecRevocationOCSPMethod = 1,
    kSecRevocationCRLMethod = 2,
    kSecRevocationPreferCRL = 4,
    /* An evaluation fails without an answer that the certificate is good. */
    kSecRevocationRequirePositiveResponse = 8,
    kSecRevocationNetworkAccessDisabled = 16,
    kSecRevocationUseAnyAvailableMethod = 3
};

/* The type of a policy, as CFGetTypeID returns it. Two policies are equal when they have the same requirements. */
CF_EXPORT CFTypeID SecPolicyGetTypeID(void);

/* Makes the basic policy, which checks the chain for any use. */
CF_EXPORT SecPolicyRef SecPolicyCreateBasicX509(void);

/* Makes a TLS policy for a server's or a client's certificate. The host name or address may be NULL, for any host. */
CF_EXPORT SecPolicyRef SecPolicyCreateSSL(Boolean server, CFStringRef hostname);

/* Makes a policy that checks revocation; NULL for flags without a method. */
CF_EXPORT SecPolicyRef SecPolicyCreateRevocation(CFOptionFlags revocationFlags);

/* Makes a policy by its identifier, kSecPolicyApple...; NULL for an unknown identifier. The properties may be NULL. */
CF_EXPORT SecPolicyRef SecPolicyCreateWithProperties(CFTypeRef policyIdentifier, CFDictionaryRef properties);

CF_EXPORT SecPolicyRef SecPolicyCreateWithOID(CFTypeRef policyOID);

/* Changes the given properties. Evaluations made earlier with the policy keep its former properties. */
CF_EXPORT OSStatus SecPolicySetProperties(SecPolicyRef policyRef, CFDictionaryRef properties);

/* Copies the properties of a policy. */
CF_EXPORT CFDictionaryRef SecPolicyCopyProperties(SecPolicyRef policyRef);

CF_EXTERN_C_END

#endif
