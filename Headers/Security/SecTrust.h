/* Whether a certificate is to be trusted. */
#ifndef CHATELAINE_SECTRUST_H
#define CHATELAINE_SECTRUST_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>
#include <Security/SecPolicy.h>
#include <Security/SecTrustConstants.h>
#include <Security/SecTrustTexts.h>

CF_EXTERN_C_BEGIN

/* The older name of SecTrustResultType, once for what a user has set. */
typedef SecTrustResultType SecTrustUserSetting;

/* An evaluation: certificates, the policies that they have to meet, and the result. */
typedef struct __SecTrust *SecTrustRef;

/* The type of an evaluation, as CFGetTypeID returns it. */
CF_EXPORT CFTypeID SecTrustGetTypeID(void);

/*
 * Makes an evaluation of a certificate. An array has that certificate first, then others that may belong to its chain.
 * The policies are one policy, an array, or NULL for the basic policy.
 */
CF_EXPORT OSStatus SecTrustCreateWithCertificates(CFTypeRef certificates, CFTypeRef policies, SecTrustRef *trust);
CF_EXPORT OSStatus SecTrustSetPolicies(SecTrustRef trust, CFTypeRef policies);
CF_EXPORT OSStatus SecTrustCopyPolicies(SecTrustRef trust, CFArrayRef *policies);

/*
 * Whether the certificate is trusted. The error is the first reason against it; the caller releases it, and may pass
 * NULL for it.
 */
CF_EXPORT bool SecTrustEvaluateWithError(SecTrustRef trust, CFErrorRef *error);
CF_EXPORT OSStatus SecTrustEvaluate(SecTrustRef trust, SecTrustResultType *result);
/* The result of the last evaluation; kSecTrustResultInvalid where there was none since the last change. */
CF_EXPORT OSStatus SecTrustGetTrustResult(SecTrustRef trust, SecTrustResultType *result);

/*
 * Sets the program's own anchors. They replace the system's, unless SecTrustSetAnchorCertificatesOnly adds these again.
 * NULL restores the system's anchors.
 */
CF_EXPORT OSStatus SecTrustSetAnchorCertificates(SecTrustRef trust, CFArrayRef anchorCertificates);
CF_EXPORT OSStatus SecTrustSetAnchorCertificatesOnly(SecTrustRef trust, Boolean anchorCertificatesOnly);
CF_EXPORT OSStatus SecTrustCopyCustomAnchorCertificates(SecTrustRef trust, CFArrayRef *anchors);
/* Copies the anchors that the system trusts: the certificates in the distribution's file. */
CF_EXPORT OSStatus SecTrustCopyAnchorCertificates(CFArrayRef *anchors);

/* The time at which the certificates have to be valid; by default the present. */
CF_EXPORT OSStatus SecTrustSetVerifyDate(SecTrustRef trust, CFDateRef verifyDate);
CF_EXPORT CFAbsoluteTime SecTrustGetVerifyTime(SecTrustRef trust);

/*
 * Whether an evaluation may ask the servers that certificates name, for a missing issuer and for the answers that a
 * revocation policy needs.
 *
 * By default an evaluation asks for issuers if it has a TLS policy, and for answers if it has a revocation policy.
 */
CF_EXPORT OSStatus SecTrustSetNetworkFetchAllowed(SecTrustRef trust, Boolean allowFetch);
CF_EXPORT OSStatus SecTrustGetNetworkFetchAllowed(SecTrustRef trust, Boolean *allowFetch);

/*
 * Defects that an evaluation ignores, and requirements besides its policies.
 *
 * kSecTrustOptionLeafIsCA and kSecTrustOptionUseTrustSettings change nothing: every policy accepts an authority as the
 * leaf, and trust settings count in every evaluation.
 */
typedef uint32_t SecTrustOptionFlags;
enum {
    kSecTrustOptionAllowExpired = 1,
    kSecTrustOptionLeafIsCA = 2,
    kSecTrustOptionFetchIssuerFromNet = 4,
    kSecTrustOptionAllowExpiredRoot = 8,
    kSecTrustOptionRequireRevPerCert = 16,
    kSecTrustOptionUseTrustSettings = 32,
    kSecTrustOptionImplicitAnchors = 64
};
CF_EXPORT OSStatus SecTrustSetOptions(SecTrustRef trustRef, SecTrustOptionFlags options);

/*
 * Sets the file keychains whose certificates may be intermediates: a keychain, an array (empty for none), or NULL for
 * the search list.
 */
CF_EXPORT OSStatus SecTrustSetKeychains(SecTrustRef trust, CFTypeRef keychainOrArray);

/* Sets the OCSP responses that a server has sent: data in DER, or an array of such data. */
CF_EXPORT OSStatus SecTrustSetOCSPResponse(SecTrustRef trust, CFTypeRef responseData);

/* The chain that was found, with the evaluated certificate first. The call evaluates if there is no result yet. */
CF_EXPORT CFArrayRef SecTrustCopyCertificateChain(SecTrustRef trust);
CF_EXPORT CFIndex SecTrustGetCertificateCount(SecTrustRef trust);
/* A certificate of the chain. It lives as long as the evaluation; do not release it. */
CF_EXPORT SecCertificateRef SecTrustGetCertificateAtIndex(SecTrustRef trust, CFIndex ix);

/* The public key of the evaluated certificate, trusted or not. */
CF_EXPORT SecKeyRef SecTrustCopyKey(SecTrustRef trust);
CF_EXPORT SecKeyRef SecTrustCopyPublicKey(SecTrustRef trust);

/* The time and result of the evaluation, and for each certificate of the chain its name and its defects. */
CF_EXPORT CFDictionaryRef SecTrustCopyResult(SecTrustRef trust);
CF_EXPORT CFArrayRef SecTrustCopyProperties(SecTrustRef trust);

/*
 * Copies the defects of the certificate, and has later evaluations ignore them; false for data of another certificate.
 */
CF_EXPORT CFDataRef SecTrustCopyExceptions(SecTrustRef trust);
CF_EXPORT bool SecTrustSetExceptions(SecTrustRef trust, CFDataRef exceptions);

CF_EXTERN_C_END

#endif
