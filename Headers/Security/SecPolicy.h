/* What a certificate has to be good for. */
#ifndef CHATELAINE_SECPOLICY_H
#define CHATELAINE_SECPOLICY_H

#include <CoreFoundation/CFDictionary.h>
#include <Security/SecBase.h>
#include <Security/SecPolicyTexts.h>

CF_EXTERN_C_BEGIN

/* Ways in which it is looked whether a certificate was revoked. What came with the certificates counts, and servers that they name are asked. */
enum {
    kSecRevocationOCSPMethod = 1,
    kSecRevocationCRLMethod = 2,
    kSecRevocationPreferCRL = 4,
    /* An evaluation fails where nobody says that the certificate is good. */
    kSecRevocationRequirePositiveResponse = 8,
    kSecRevocationNetworkAccessDisabled = 16,
    kSecRevocationUseAnyAvailableMethod = 3
};

/* The type of a policy, as CFGetTypeID tells it. Two are equal when they ask for the same. */
CF_EXPORT CFTypeID SecPolicyGetTypeID(void);

/* A chain is looked at for itself, whatever it is used for. */
CF_EXPORT SecPolicyRef SecPolicyCreateBasicX509(void);

/* A policy of TLS for a server's or a client's certificate. The host name or address may be NULL, for any. */
CF_EXPORT SecPolicyRef SecPolicyCreateSSL(Boolean server, CFStringRef hostname);

/* Asks whether certificates were revoked; NULL for flags that name no method. */
CF_EXPORT SecPolicyRef SecPolicyCreateRevocation(CFOptionFlags revocationFlags);

/* A policy by its identifier, kSecPolicyApple...; NULL for what is not known. The properties may be NULL. */
CF_EXPORT SecPolicyRef SecPolicyCreateWithProperties(CFTypeRef policyIdentifier, CFDictionaryRef properties);

CF_EXPORT SecPolicyRef SecPolicyCreateWithOID(CFTypeRef policyOID);

/* Changes the properties that are named. Evaluations that were made with the policy before go on with what it was. */
CF_EXPORT OSStatus SecPolicySetProperties(SecPolicyRef policyRef, CFDictionaryRef properties);

/* What a policy was made with. */
CF_EXPORT CFDictionaryRef SecPolicyCopyProperties(SecPolicyRef policyRef);

CF_EXTERN_C_END

#endif
