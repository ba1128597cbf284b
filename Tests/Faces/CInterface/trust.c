// Tests of policies and trust evaluations from C (behaviour/trust.md).
#include <string.h>

#include "check.h"
#include "samples.h"

/// Whether a policy's properties have a value.
static bool has(SecPolicyRef policy, CFStringRef key, CFTypeRef expected) {
    CFDictionaryRef properties = SecPolicyCopyProperties(policy);
    CFTypeRef value = properties ? CFDictionaryGetValue(properties, key) : NULL;
    bool holds = value && CFEqual(value, expected);
    drop(properties);
    return holds;
}

void test_policies(void) {
    SecPolicyRef basic = SecPolicyCreateBasicX509(), ssl = SecPolicyCreateSSL(TRUE, CFSTR("leaf.example.org"));
    CHECK(is_of(basic, SecPolicyGetTypeID()) && is_of(ssl, SecPolicyGetTypeID()) && !CFEqual(basic, ssl));
    CHECK(has(basic, kSecPolicyOid, kSecPolicyAppleX509Basic) && has(ssl, kSecPolicyOid, kSecPolicyAppleSSL));
    CHECK(has(ssl, kSecPolicyName, CFSTR("leaf.example.org")) && !has(ssl, kSecPolicyClient, kCFBooleanTrue));
    SecPolicyRef client = SecPolicyCreateSSL(FALSE, NULL);
    CHECK(has(client, kSecPolicyClient, kCFBooleanTrue));
    CFMutableDictionaryRef properties = dictionary(kSecPolicyName, CFSTR("leaf.example.org"), NULL);
    SecPolicyRef same = SecPolicyCreateWithProperties(kSecPolicyAppleSSL, properties);
    CHECK(same && CFEqual(same, ssl) && CFHash(same) == CFHash(ssl));
    SecPolicyRef revocation = SecPolicyCreateRevocation(kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse);
    CHECK(revocation && has(revocation, kSecPolicyOid, kSecPolicyAppleRevocation));
    CFDictionarySetValue(properties, CFSTR("no such property"), kCFBooleanTrue);
    CHECK(!SecPolicyCreateWithProperties(kSecPolicyAppleSSL, properties) && !SecPolicyCreateRevocation(0));
    CHECK(!SecPolicyCreateWithProperties(NULL, NULL) && !SecPolicyCreateWithProperties(CFSTR("1.2.3"), NULL));
    CHECK(!SecPolicyCreateWithProperties(kSecPolicyAppleSSL, (CFDictionaryRef)basic));
    CHECK(!SecPolicyCreateSSL(TRUE, (CFStringRef)properties) && !SecPolicyCopyProperties(NULL));
    CHECK(!SecPolicyCopyProperties((SecPolicyRef)properties));
    SecPolicyRef changed = SecPolicyCreateWithOID(kSecPolicyAppleSSL), kerberos = SecPolicyCreateWithOID(kSecPolicyApplePKINITServer);
    CHECK(changed && has(kerberos, kSecPolicyOid, kSecPolicyApplePKINITServer) && !SecPolicyCreateWithOID(NULL));
    CFDictionaryRemoveAllValues(properties);
    CFDictionarySetValue(properties, kSecPolicyName, CFSTR("leaf.example.org"));
    CHECK_STATUS(SecPolicySetProperties(changed, properties), errSecSuccess);
    CHECK(changed && CFEqual(changed, ssl));
    CFDictionarySetValue(properties, kSecPolicyKU_KeyAgreement, kCFBooleanTrue);
    CHECK_STATUS(SecPolicySetProperties(changed, properties), errSecSuccess);
    CHECK(has(changed, kSecPolicyKU_KeyAgreement, kCFBooleanTrue) && !CFEqual(changed, ssl));
    CHECK_STATUS(SecPolicySetProperties(revocation, properties), errSecParam);
    CHECK_STATUS(SecPolicySetProperties(changed, NULL), errSecParam);
    CHECK_STATUS(SecPolicySetProperties(NULL, properties), errSecParam);
    CFTypeRef objects[] = {basic, ssl, client, properties, same, revocation, changed, kerberos};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

static OSStatus result_of(SecTrustRef trust, SecTrustResultType expected) {
    SecTrustResultType result = kSecTrustResultInvalid;
    OSStatus status = SecTrustGetTrustResult(trust, &result);
    CHECK(result == expected);
    return status;
}

static void test_anchored(SecTrustRef trust, SecCertificateRef leaf, SecCertificateRef root) {
    CFArrayRef anchors = list(root, NULL, NULL), own = NULL;
    CFErrorRef error = NULL;
    CHECK_STATUS(result_of(trust, kSecTrustResultInvalid), errSecSuccess);
    CHECK(!SecTrustCopyResult(trust));
    // No anchor has issued the chain.
    CHECK(!SecTrustEvaluateWithError(trust, &error) && error);
    CHECK(error && CFEqual(CFErrorGetDomain(error), kCFErrorDomainOSStatus));
    CHECK(fails(&error, errSecCreateChainFailed) && !SecTrustEvaluateWithError(trust, NULL));
    CHECK_STATUS(result_of(trust, kSecTrustResultRecoverableTrustFailure), errSecSuccess);
    CHECK_STATUS(SecTrustCopyCustomAnchorCertificates(trust, &own), errSecSuccess);
    CHECK(!own);
    CHECK_STATUS(SecTrustSetAnchorCertificates(trust, anchors), errSecSuccess);
    CHECK_STATUS(result_of(trust, kSecTrustResultInvalid), errSecSuccess);
    CHECK_STATUS(SecTrustCopyCustomAnchorCertificates(trust, &own), errSecSuccess);
    CHECK(own && CFArrayGetCount(own) == 1 && CFEqual(CFArrayGetValueAtIndex(own, 0), root));
    CHECK(SecTrustEvaluateWithError(trust, &error) && !error);
    SecTrustResultType result = kSecTrustResultInvalid;
    CHECK_STATUS(SecTrustEvaluate(trust, &result), errSecSuccess);
    CHECK(result == kSecTrustResultUnspecified);
    CFArrayRef chain = SecTrustCopyCertificateChain(trust);
    CHECK(chain && CFArrayGetCount(chain) == 3 && SecTrustGetCertificateCount(trust) == 3);
    CHECK(chain && CFEqual(CFArrayGetValueAtIndex(chain, 0), leaf) && CFEqual(CFArrayGetValueAtIndex(chain, 2), root));
    // The evaluation keeps the certificate, and returns the same object each time.
    SecCertificateRef last = SecTrustGetCertificateAtIndex(trust, 2);
    CHECK(last && CFEqual(last, root) && last == SecTrustGetCertificateAtIndex(trust, 2));
    CHECK(!SecTrustGetCertificateAtIndex(trust, 3) && !SecTrustGetCertificateAtIndex(trust, -1));
    SecKeyRef key = SecTrustCopyKey(trust), same = SecTrustCopyPublicKey(trust), of_leaf = SecCertificateCopyKey(leaf);
    CHECK(key && same && of_leaf && CFEqual(key, same) && CFEqual(key, of_leaf));
    CFDictionaryRef details = SecTrustCopyResult(trust);
    CHECK(details && is_number(CFDictionaryGetValue(details, kSecTrustResultValue), kSecTrustResultUnspecified));
    CHECK(details && is_of(CFDictionaryGetValue(details, kSecTrustEvaluationDate), CFDateGetTypeID()));
    CFArrayRef properties = SecTrustCopyProperties(trust);
    CHECK(properties && CFArrayGetCount(properties) == 3);
    CFTypeRef objects[] = {anchors, own, chain, key, same, of_leaf, details, properties};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

/// With the anchors set, first the name is wrong and then the date.
static void test_reasons(SecTrustRef trust) {
    SecPolicyRef other = SecPolicyCreateSSL(TRUE, CFSTR("other.example.org"));
    CFErrorRef error = NULL;
    CFArrayRef policies = NULL;
    CHECK_STATUS(SecTrustSetPolicies(trust, other), errSecSuccess);
    CHECK_STATUS(SecTrustCopyPolicies(trust, &policies), errSecSuccess);
    CHECK(policies && CFArrayGetCount(policies) == 1 && CFEqual(CFArrayGetValueAtIndex(policies, 0), other));
    CHECK(!SecTrustEvaluateWithError(trust, &error) && fails(&error, errSecHostNameMismatch));
    CFDataRef exceptions = SecTrustCopyExceptions(trust);
    CHECK(is_of(exceptions, CFDataGetTypeID()) && SecTrustSetExceptions(trust, exceptions));
    CHECK(SecTrustEvaluateWithError(trust, NULL));
    CHECK(!SecTrustSetExceptions(trust, NULL) && !SecTrustEvaluateWithError(trust, NULL));
    CHECK(!SecTrustSetExceptions(trust, (CFDataRef)other));
    SecPolicyRef basic = SecPolicyCreateBasicX509();
    CHECK_STATUS(SecTrustSetPolicies(trust, basic), errSecSuccess);
    CFDateRef date = CFDateCreate(NULL, 0);
    CHECK_STATUS(SecTrustSetVerifyDate(trust, date), errSecSuccess);
    CHECK(SecTrustGetVerifyTime(trust) == 0);
    CHECK(!SecTrustEvaluateWithError(trust, &error) && fails(&error, errSecCertificateNotValidYet));
    CFTypeRef objects[] = {other, policies, exceptions, basic, date};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

static void test_settings_of(SecTrustRef trust) {
    Boolean allowed = TRUE;
    CHECK_STATUS(SecTrustGetNetworkFetchAllowed(trust, &allowed), errSecSuccess);
    CHECK(!allowed);
    CHECK_STATUS(SecTrustSetNetworkFetchAllowed(trust, TRUE), errSecSuccess);
    CHECK_STATUS(SecTrustGetNetworkFetchAllowed(trust, &allowed), errSecSuccess);
    CHECK(allowed);
    CHECK_STATUS(SecTrustSetNetworkFetchAllowed(trust, FALSE), errSecSuccess);
    CHECK_STATUS(SecTrustSetAnchorCertificatesOnly(trust, TRUE), errSecSuccess);
    CFDataRef response = data("no response");
    CFArrayRef responses = list(response, response, NULL);
    CHECK_STATUS(SecTrustSetOCSPResponse(trust, response), errSecSuccess);
    CHECK_STATUS(SecTrustSetOCSPResponse(trust, responses), errSecSuccess);
    CHECK_STATUS(SecTrustSetOCSPResponse(trust, NULL), errSecSuccess);
    CHECK_STATUS(SecTrustSetOCSPResponse(trust, trust), errSecParam);
    drop(responses);
    drop(response);
}

/// The anchor is the test's own root, and the keychain has the intermediate certificate.
static void test_sources(SecCertificateRef leaf, SecCertificateRef root) {
    CFArrayRef certificates = list(leaf, root, NULL), none = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    SecCertificateRef middle = sample_middle();
    SecKeychainRef keychain = NULL;
    SecTrustRef trust = NULL;
    CHECK_STATUS(SecKeychainCreate("c-trust.keychain", 5, "horse", FALSE, NULL, &keychain), errSecSuccess);
    CHECK_STATUS(SecCertificateAddToKeychain(middle, keychain), errSecSuccess);
    CHECK_STATUS(SecTrustCreateWithCertificates(certificates, NULL, &trust), errSecSuccess);
    CHECK_STATUS(SecTrustSetOptions(trust, kSecTrustOptionImplicitAnchors), errSecSuccess);
    CHECK_STATUS(SecTrustSetOptions(trust, 1 << 20), errSecParam);
    CHECK(!SecTrustEvaluateWithError(trust, NULL));
    CHECK_STATUS(SecTrustSetKeychains(trust, keychain), errSecSuccess);
    CHECK(SecTrustEvaluateWithError(trust, NULL) && SecTrustGetCertificateCount(trust) == 3);
    CHECK_STATUS(SecTrustSetOptions(trust, 0), errSecSuccess);
    CHECK(!SecTrustEvaluateWithError(trust, NULL));
    CHECK_STATUS(SecTrustSetKeychains(trust, none), errSecSuccess);
    CHECK_STATUS(SecTrustSetKeychains(trust, NULL), errSecSuccess);
    CHECK_STATUS(SecTrustSetKeychains(trust, leaf), errSecParam);
    CHECK_STATUS(SecTrustSetKeychains(NULL, keychain), errSecParam);
    CHECK_STATUS(SecTrustSetOptions(NULL, 0), errSecParam);
    CHECK_STATUS(SecKeychainDelete(keychain), errSecSuccess);
    CFTypeRef objects[] = {certificates, none, middle, keychain, trust};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

/// The calls get objects that are no evaluations, and no place for a result.
static void test_trust_arguments(SecTrustRef trust, SecCertificateRef leaf) {
    CFDataRef nonsense = data("no evaluation");
    SecTrustRef wrong[] = {NULL, (SecTrustRef)nonsense};
    SecTrustResultType result = kSecTrustResultInvalid;
    CFErrorRef error = NULL;
    CFArrayRef array = NULL;
    Boolean allowed = FALSE;
    for (size_t index = 0; index < 2; index++) {
        SecTrustRef none = wrong[index];
        CHECK(!SecTrustEvaluateWithError(none, &error) && fails(&error, errSecParam));
        CHECK(!SecTrustCopyCertificateChain(none) && !SecTrustGetCertificateCount(none) && !SecTrustGetCertificateAtIndex(none, 0));
        CHECK(!SecTrustCopyKey(none) && !SecTrustCopyPublicKey(none) && !SecTrustCopyResult(none) && !SecTrustCopyProperties(none));
        CHECK(!SecTrustCopyExceptions(none) && !SecTrustSetExceptions(none, NULL) && SecTrustGetVerifyTime(none) == 0);
        CHECK_STATUS(SecTrustEvaluate(none, &result), errSecParam);
        CHECK_STATUS(SecTrustGetTrustResult(none, &result), errSecParam);
        CHECK_STATUS(SecTrustSetPolicies(none, NULL), errSecParam);
        CHECK_STATUS(SecTrustCopyPolicies(none, &array), errSecParam);
        CHECK_STATUS(SecTrustSetAnchorCertificates(none, NULL), errSecParam);
        CHECK_STATUS(SecTrustSetAnchorCertificatesOnly(none, TRUE), errSecParam);
        CHECK_STATUS(SecTrustCopyCustomAnchorCertificates(none, &array), errSecParam);
        CHECK_STATUS(SecTrustSetVerifyDate(none, NULL), errSecParam);
        CHECK_STATUS(SecTrustSetNetworkFetchAllowed(none, TRUE), errSecParam);
        CHECK_STATUS(SecTrustGetNetworkFetchAllowed(none, &allowed), errSecParam);
        CHECK_STATUS(SecTrustSetOCSPResponse(none, NULL), errSecParam);
    }
    CHECK(!array);
    SecTrustRef made = NULL;
    CFArrayRef empty = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    CHECK_STATUS(SecTrustCreateWithCertificates(NULL, NULL, &made), errSecParam);
    CHECK_STATUS(SecTrustCreateWithCertificates(nonsense, NULL, &made), errSecParam);
    CHECK_STATUS(SecTrustCreateWithCertificates(empty, NULL, &made), errSecParam);
    CHECK_STATUS(SecTrustCreateWithCertificates(leaf, nonsense, &made), errSecParam);
    CHECK_STATUS(SecTrustCreateWithCertificates(leaf, NULL, NULL), errSecParam);
    CHECK_STATUS(SecTrustEvaluate(trust, NULL), errSecParam);
    CHECK_STATUS(SecTrustGetTrustResult(trust, NULL), errSecParam);
    CHECK_STATUS(SecTrustSetPolicies(trust, NULL), errSecParam);
    CHECK_STATUS(SecTrustSetPolicies(trust, empty), errSecParam);
    CHECK_STATUS(SecTrustCopyPolicies(trust, NULL), errSecParam);
    CHECK_STATUS(SecTrustSetAnchorCertificates(trust, (CFArrayRef)nonsense), errSecParam);
    CHECK_STATUS(SecTrustCopyCustomAnchorCertificates(trust, NULL), errSecParam);
    CHECK_STATUS(SecTrustCopyAnchorCertificates(NULL), errSecParam);
    CHECK_STATUS(SecTrustSetVerifyDate(trust, (CFDateRef)nonsense), errSecParam);
    CHECK_STATUS(SecTrustGetNetworkFetchAllowed(trust, NULL), errSecParam);
    CHECK(!made);
    CFRelease(empty);
    CFRelease(nonsense);
}

void test_trust(void) {
    SecCertificateRef leaf = sample_leaf(), middle = sample_middle(), root = sample_root();
    CFArrayRef certificates = list(leaf, middle, NULL);
    SecTrustRef trust = NULL;
    CHECK_STATUS(SecTrustCreateWithCertificates(certificates, NULL, &trust), errSecSuccess);
    // The evaluation retains its own certificates.
    drop(certificates);
    drop(middle);
    CHECK(is_of(trust, SecTrustGetTypeID()));
    if (!trust) return;
    test_anchored(trust, leaf, root);
    test_settings_of(trust);
    test_reasons(trust);
    test_trust_arguments(trust, leaf);
    test_sources(leaf, root);
    // The copied chain outlives the evaluation.
    CFArrayRef chain = SecTrustCopyCertificateChain(trust);
    CFRelease(trust);
    CHECK(chain && CFArrayGetCount(chain) == 3 && CFEqual(CFArrayGetValueAtIndex(chain, 0), leaf));
    CFArrayRef roots = NULL;
    OSStatus status = SecTrustCopyAnchorCertificates(&roots);
    if (has_system_roots()) CHECK_STATUS(status, errSecSuccess);
    CHECK(status != errSecSuccess || (is_of(roots, CFArrayGetTypeID()) && CFArrayGetCount(roots) > 0));
    drop(roots);
    drop(chain);
    drop(leaf);
    drop(root);
}
