// Tests of searches for certificates that are valid for a purpose, from C (behaviour/certificates.md, 25 and 26).
#include "check.h"
#include "samples.h"

static CFMutableDictionaryRef stored(SecCertificateRef certificate) {
    return dictionary(kSecClass, kSecClassCertificate, kSecValueRef, certificate, NULL);
}

/// The status of a search for one stored certificate with one more term.
static OSStatus finds(SecCertificateRef certificate, CFStringRef key, CFTypeRef value) {
    CFMutableDictionaryRef query = stored(certificate);
    CFDictionarySetValue(query, key, value);
    CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    CHECK(status != errSecSuccess || (result && CFEqual(result, certificate)));
    drop(result);
    CFRelease(query);
    return status;
}

static SecPolicyRef mail_policy(CFStringRef address) {
    CFMutableDictionaryRef properties = dictionary(kSecPolicyName, address, NULL);
    SecPolicyRef policy = SecPolicyCreateWithProperties(kSecPolicyAppleSMIME, properties);
    CFRelease(properties);
    return policy;
}

static void test_policy_terms(SecCertificateRef leaf) {
    // The certificate is valid for longer than a server's may be.
    SecPolicyRef server = SecPolicyCreateSSL(TRUE, CFSTR("leaf.example.org"));
    SecPolicyRef named = mail_policy(CFSTR("leaf@example.org")), other = mail_policy(CFSTR("other@example.org"));
    SecPolicyRef code = SecPolicyCreateWithOID(kSecPolicyAppleCodeSigning), basic = SecPolicyCreateBasicX509();
    CHECK_STATUS(finds(leaf, kSecMatchPolicy, named), errSecSuccess);
    CHECK_STATUS(finds(leaf, kSecMatchPolicy, other), errSecItemNotFound);
    CHECK_STATUS(finds(leaf, kSecMatchPolicy, server), errSecItemNotFound);
    CHECK_STATUS(finds(leaf, kSecMatchPolicy, code), errSecItemNotFound);
    // The basic policy is about the chain, and the issuer is not trusted.
    CHECK_STATUS(finds(leaf, kSecMatchPolicy, basic), errSecItemNotFound);
    CHECK_STATUS(finds(leaf, kSecMatchPolicy, CFSTR("no policy")), errSecParam);
    CFTypeRef objects[] = {named, other, server, code, basic};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

/// The distribution's first root that is valid now; NULL if there is none.
static SecCertificateRef trusted_root(void) {
    CFArrayRef roots = NULL;
    CHECK_STATUS(SecTrustCopyAnchorCertificates(&roots), errSecSuccess);
    SecCertificateRef found = NULL;
    for (CFIndex index = 0; roots && !found && index < CFArrayGetCount(roots); index++) {
        SecCertificateRef root = (SecCertificateRef)CFArrayGetValueAtIndex(roots, index);
        SecTrustRef trust = NULL;
        CHECK_STATUS(SecTrustCreateWithCertificates(root, NULL, &trust), errSecSuccess);
        if (trust && SecTrustEvaluateWithError(trust, NULL)) found = (SecCertificateRef)CFRetain(root);
        drop(trust);
    }
    drop(roots);
    return found;
}

void test_trusted_searches(void) {
    SecCertificateRef leaf = sample_leaf();
    CHECK_STATUS(add(stored(leaf)), errSecSuccess);
    test_policy_terms(leaf);
    CHECK_STATUS(finds(leaf, kSecMatchTrustedOnly, kCFBooleanTrue), errSecItemNotFound);
    CHECK_STATUS(finds(leaf, kSecMatchTrustedOnly, kCFBooleanFalse), errSecSuccess);
    CHECK_STATUS(erase(stored(leaf)), errSecSuccess);
    drop(leaf);
    if (!has_system_roots()) return;
    SecCertificateRef root = trusted_root();
    CHECK(root != NULL);
    if (!root) return;
    CHECK_STATUS(add(stored(root)), errSecSuccess);
    CHECK_STATUS(finds(root, kSecMatchTrustedOnly, kCFBooleanTrue), errSecSuccess);
    CHECK_STATUS(erase(stored(root)), errSecSuccess);
    drop(root);
}
