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

/* What came of an evaluation, under the name of old for what a user has set. */
typedef SecTrustResultType SecTrustUserSetting;

/* Certificates, what they have to be good for, and what came of that. */
typedef struct __SecTrust *SecTrustRef;

/* The type of an evaluation, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecTrustGetTypeID(void);

/*
 * Makes an evaluation of a certificate, or of an array: the one that is judged first, then others that may belong to its chain. The policies are
 * one, an array, or NULL for the basic one.
 */
CF_EXPORT OSStatus SecTrustCreateWithCertificates(CFTypeRef certificates, CFTypeRef policies, SecTrustRef *trust);
CF_EXPORT OSStatus SecTrustSetPolicies(SecTrustRef trust, CFTypeRef policies);
CF_EXPORT OSStatus SecTrustCopyPolicies(SecTrustRef trust, CFArrayRef *policies);

/* Whether it is to be trusted. The error, which the caller releases, is the first reason against it; the place for it may be NULL. */
CF_EXPORT bool SecTrustEvaluateWithError(SecTrustRef trust, CFErrorRef *error);
CF_EXPORT OSStatus SecTrustEvaluate(SecTrustRef trust, SecTrustResultType *result);
/* What came of the last evaluation; kSecTrustResultInvalid where there was none since the last change. */
CF_EXPORT OSStatus SecTrustGetTrustResult(SecTrustRef trust, SecTrustResultType *result);

/* Anchors of the program's own: the only ones, unless SecTrustSetAnchorCertificatesOnly says otherwise. NULL for those of the system. */
CF_EXPORT OSStatus SecTrustSetAnchorCertificates(SecTrustRef trust, CFArrayRef anchorCertificates);
CF_EXPORT OSStatus SecTrustSetAnchorCertificatesOnly(SecTrustRef trust, Boolean anchorCertificatesOnly);
CF_EXPORT OSStatus SecTrustCopyCustomAnchorCertificates(SecTrustRef trust, CFArrayRef *anchors);
/* The certificates that the system trusts: those of the distribution's file. */
CF_EXPORT OSStatus SecTrustCopyAnchorCertificates(CFArrayRef *anchors);

/* The moment for which certificates have to be valid; now where none is set. */
CF_EXPORT OSStatus SecTrustSetVerifyDate(SecTrustRef trust, CFDateRef verifyDate);
CF_EXPORT CFAbsoluteTime SecTrustGetVerifyTime(SecTrustRef trust);

/*
 * Whether servers may be asked that the certificates name: for an issuer that lacks, and, by a policy of revocation, for answers. Unless it is said,
 * issuers are asked for where there is a policy of TLS, and answers by each policy of revocation.
 */
CF_EXPORT OSStatus SecTrustSetNetworkFetchAllowed(SecTrustRef trust, Boolean allowFetch);
CF_EXPORT OSStatus SecTrustGetNetworkFetchAllowed(SecTrustRef trust, Boolean *allowFetch);

/*
 * What an evaluation passes over, or asks for besides its policies. No policy refuses an authority as the certificate that is judged, and settings
 * of trust count in every evaluation: the options for these change nothing.
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

/* Has certificates of file keychains stand between: a keychain, an array of such (an empty one for none), or NULL for the search list. */
CF_EXPORT OSStatus SecTrustSetKeychains(SecTrustRef trust, CFTypeRef keychainOrArray);

/* What a server has sent along about revocation: data in DER, or an array of them. */
CF_EXPORT OSStatus SecTrustSetOCSPResponse(SecTrustRef trust, CFTypeRef responseData);

/* The chain that was found, the certificate that is judged first. It is evaluated where that was not done. */
CF_EXPORT CFArrayRef SecTrustCopyCertificateChain(SecTrustRef trust);
CF_EXPORT CFIndex SecTrustGetCertificateCount(SecTrustRef trust);
/* The certificate lives as long as the evaluation and is not released. */
CF_EXPORT SecCertificateRef SecTrustGetCertificateAtIndex(SecTrustRef trust, CFIndex ix);

/* The public key of the certificate that is judged, trusted or not. */
CF_EXPORT SecKeyRef SecTrustCopyKey(SecTrustRef trust);
CF_EXPORT SecKeyRef SecTrustCopyPublicKey(SecTrustRef trust);

/* When it was evaluated and what came of it; and a name for each certificate of the chain, with what is wrong with it. */
CF_EXPORT CFDictionaryRef SecTrustCopyResult(SecTrustRef trust);
CF_EXPORT CFArrayRef SecTrustCopyProperties(SecTrustRef trust);

/* What is wrong with the certificate; and that it be passed over from now on, which is false for data of another certificate. */
CF_EXPORT CFDataRef SecTrustCopyExceptions(SecTrustRef trust);
CF_EXPORT bool SecTrustSetExceptions(SecTrustRef trust, CFDataRef exceptions);

CF_EXTERN_C_END

#endif
