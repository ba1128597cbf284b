// Tests of certificates and identities from C (behaviour/certificates.md, behaviour/identities.md).
#include <string.h>

#include "check.h"
#include "samples.h"

/// One value of a certificate, in the form of `SecCertificateCopyValues`.
static CFTypeRef value(CFDictionaryRef values, CFStringRef identifier) {
    CFDictionaryRef entry = values ? CFDictionaryGetValue(values, identifier) : NULL;
    return entry ? CFDictionaryGetValue(entry, kSecPropertyKeyValue) : NULL;
}

static void test_fields(SecCertificateRef leaf) {
    CFStringRef summary = SecCertificateCopySubjectSummary(leaf), name = NULL;
    CHECK(is_text(summary, "leaf.example.org"));
    CHECK_STATUS(SecCertificateCopyCommonName(leaf, &name), errSecSuccess);
    CHECK(name && summary && CFEqual(name, summary));
    CFArrayRef addresses = NULL;
    CHECK_STATUS(SecCertificateCopyEmailAddresses(leaf, &addresses), errSecSuccess);
    CHECK(addresses && CFArrayGetCount(addresses) == 1 && is_text(CFArrayGetValueAtIndex(addresses, 0), "leaf@example.org"));
    CFErrorRef error = NULL;
    CFDataRef serial = SecCertificateCopySerialNumberData(leaf, &error), again = SecCertificateCopySerialNumber(leaf, NULL);
    CHECK(serial && !error && CFDataGetLength(serial) == 20 && again && CFEqual(serial, again));
    CFDateRef start = SecCertificateCopyNotValidBeforeDate(leaf), end = SecCertificateCopyNotValidAfterDate(leaf);
    CHECK(is_of(start, CFDateGetTypeID()) && is_of(end, CFDateGetTypeID()));
    CHECK(start && end && CFDateGetAbsoluteTime(end) - CFDateGetAbsoluteTime(start) > 78 * 365 * 86400.0);
    CFDataRef issuer = SecCertificateCopyNormalizedIssuerSequence(leaf), content = SecCertificateCopyNormalizedIssuerContent(leaf, &error);
    CHECK(issuer && content && !error && CFDataGetLength(issuer) == CFDataGetLength(content) + 2);
    SecCertificateRef middle = sample_middle();
    CFDataRef subject = SecCertificateCopyNormalizedSubjectSequence(middle), own = SecCertificateCopyNormalizedSubjectContent(middle, NULL);
    CHECK(subject && issuer && CFEqual(subject, issuer) && own && content && CFEqual(own, content));
    CFStringRef longer = SecCertificateCopyLongDescription(NULL, leaf, &error), shorter = SecCertificateCopyShortDescription(NULL, leaf, NULL);
    CHECK(is_of(longer, CFStringGetTypeID()) && is_of(shorter, CFStringGetTypeID()) && !error);
    CFTypeRef objects[] = {summary, name, addresses, serial, again, start, end, issuer, content, middle, subject, own, longer, shorter};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

static void test_copied_values(SecCertificateRef leaf) {
    CFErrorRef error = NULL;
    CFDictionaryRef all = SecCertificateCopyValues(leaf, NULL, &error);
    CHECK(is_of(all, CFDictionaryGetTypeID()) && !error);
    int usage = (int)(kSecKeyUsageDigitalSignature | kSecKeyUsageKeyEncipherment | kSecKeyUsageCritical);
    CHECK(is_number(value(all, kSecOIDKeyUsage), usage));
    CFArrayRef names = value(all, kSecOIDCommonName);
    CHECK(names && CFArrayGetCount(names) == 1 && is_text(CFArrayGetValueAtIndex(names, 0), "leaf.example.org"));
    CFArrayRef keys = list(kSecOIDKeyUsage, NULL, NULL);
    CFDictionaryRef one = SecCertificateCopyValues(leaf, keys, NULL);
    CHECK(one && CFDictionaryGetCount(one) == 1 && value(one, kSecOIDKeyUsage));
    CHECK(!SecCertificateCopyValues(leaf, (CFArrayRef)CFSTR("no array"), &error) && fails(&error, errSecParam));
    CHECK(is_of(value(all, kSecOIDSubjectAltName), CFArrayGetTypeID()) && is_of(value(all, kSecOIDX509V1Signature), CFDataGetTypeID()));
    CFDataRef issuer = SecCertificateCopyNormalizedIssuerContent(leaf, NULL);
    CHECK(issuer && value(all, kSecOIDX509V1IssuerNameStd) && CFEqual(value(all, kSecOIDX509V1IssuerNameStd), issuer));
    drop(issuer);
    drop(all);
    drop(one);
    drop(keys);
}

static void test_certificate_key(SecCertificateRef leaf) {
    SecKeyRef key = SecCertificateCopyKey(leaf), again = NULL;
    CHECK_STATUS(SecCertificateCopyPublicKey(leaf, &again), errSecSuccess);
    CHECK(is_of(key, SecKeyGetTypeID()) && again && CFEqual(key, again) && SecKeyGetBlockSize(key) == 256);
    drop(again);
    // The key outlives its certificate.
    SecCertificateRef other = sample_leaf();
    SecKeyRef kept = SecCertificateCopyKey(other);
    CHECK(other != leaf && CFEqual(other, leaf) && CFHash(other) == CFHash(leaf));
    drop(other);
    CHECK(kept && key && CFEqual(kept, key));
    drop(kept);
    drop(key);
}

/// The calls get objects that are no certificates, and no place for a result.
static void test_certificate_arguments(SecCertificateRef leaf) {
    CFDataRef nonsense = data("no certificate");
    SecCertificateRef wrong = (SecCertificateRef)nonsense;
    CFErrorRef error = NULL;
    CFStringRef name = NULL;
    CFArrayRef addresses = NULL;
    SecKeyRef key = NULL;
    CHECK(!SecCertificateCreateWithData(NULL, nonsense) && !SecCertificateCreateWithData(NULL, NULL));
    CHECK(!SecCertificateCreateWithData(NULL, (CFDataRef)leaf));
    SecCertificateRef none[] = {NULL, wrong};
    for (size_t index = 0; index < 2; index++) {
        SecCertificateRef certificate = none[index];
        CHECK(!SecCertificateCopyData(certificate) && !SecCertificateCopySubjectSummary(certificate));
        CHECK(!SecCertificateCopyKey(certificate) && !SecCertificateCopyNotValidBeforeDate(certificate));
        CHECK(!SecCertificateCopyNotValidAfterDate(certificate));
        CHECK(!SecCertificateCopyNormalizedIssuerSequence(certificate) && !SecCertificateCopyNormalizedSubjectSequence(certificate));
        CHECK(!SecCertificateCopyNormalizedIssuerContent(certificate, &error) && fails(&error, errSecParam));
        CHECK(!SecCertificateCopyNormalizedSubjectContent(certificate, &error) && fails(&error, errSecParam));
        CHECK(!SecCertificateCopySerialNumberData(certificate, &error) && fails(&error, errSecParam));
        CHECK(!SecCertificateCopySerialNumber(certificate, NULL));
        CHECK(!SecCertificateCopyValues(certificate, NULL, &error) && fails(&error, errSecParam));
        CHECK(!SecCertificateCopyLongDescription(NULL, certificate, &error) && fails(&error, errSecParam));
        CHECK(!SecCertificateCopyShortDescription(NULL, certificate, &error) && fails(&error, errSecParam));
        CHECK_STATUS(SecCertificateCopyCommonName(certificate, &name), errSecParam);
        CHECK_STATUS(SecCertificateCopyEmailAddresses(certificate, &addresses), errSecParam);
        CHECK_STATUS(SecCertificateCopyPublicKey(certificate, &key), errSecParam);
        CHECK_STATUS(SecCertificateAddToKeychain(certificate, NULL), errSecParam);
        CHECK_STATUS(SecCertificateSetPreferred(certificate, NULL, NULL), errSecParam);
    }
    CHECK(!name && !addresses && !key);
    CHECK_STATUS(SecCertificateCopyCommonName(leaf, NULL), errSecParam);
    CHECK_STATUS(SecCertificateCopyEmailAddresses(leaf, NULL), errSecParam);
    CHECK_STATUS(SecCertificateCopyPublicKey(leaf, NULL), errSecParam);
    CHECK(!SecCertificateCopyPreferred(NULL, NULL));
    CFRelease(nonsense);
}

void test_certificates(void) {
    SecCertificateRef leaf = sample_leaf();
    CHECK(is_of(leaf, SecCertificateGetTypeID()));
    if (!leaf) return;
    CFDataRef der = SecCertificateCopyData(leaf);
    CHECK(is_of(der, CFDataGetTypeID()));
    SecCertificateRef again = SecCertificateCreateWithData(kCFAllocatorDefault, der);
    // The certificate has its own copy of the bytes.
    drop(der);
    CHECK(again && CFEqual(again, leaf));
    drop(again);
    test_fields(leaf);
    test_copied_values(leaf);
    test_certificate_key(leaf);
    test_certificate_arguments(leaf);
    CFRelease(leaf);
}

/// The first identity of a file, kept in memory.
static SecIdentityRef in_memory(void) {
    CFDataRef file = fixture("modern.p12");
    CFMutableDictionaryRef options =
        dictionary(kSecImportExportPassphrase, CFSTR("password"), kSecImportToMemoryOnly, kCFBooleanTrue, NULL);
    CFArrayRef items = NULL;
    CHECK_STATUS(SecPKCS12Import(file, options, &items), errSecSuccess);
    CFDictionaryRef first = items && CFArrayGetCount(items) ? CFArrayGetValueAtIndex(items, 0) : NULL;
    SecIdentityRef identity = first ? (SecIdentityRef)CFDictionaryGetValue(first, kSecImportItemIdentity) : NULL;
    CHECK(is_of(identity, SecIdentityGetTypeID()));
    // The identity outlives its array.
    if (identity) CFRetain(identity);
    drop(items);
    CFRelease(options);
    CFRelease(file);
    return identity;
}

static void test_stored_identity(SecIdentityRef identity, SecCertificateRef certificate) {
    SecIdentityRef found_one = NULL;
    CHECK_STATUS(SecIdentityCreateWithCertificate(NULL, certificate, &found_one), errSecItemNotFound);
    CHECK(!found_one);
    CHECK_STATUS(add(dictionary(kSecValueRef, identity, NULL)), errSecSuccess);
    CHECK_STATUS(SecIdentityCreateWithCertificate(NULL, certificate, &found_one), errSecSuccess);
    CHECK(found_one && CFEqual(found_one, identity));
    CFMutableDictionaryRef query = dictionary(kSecClass, kSecClassIdentity, kSecReturnRef, kCFBooleanTrue, NULL);
    CFTypeRef result = found(query);
    CHECK(is_of(result, SecIdentityGetTypeID()) && CFEqual(result, identity) && CFHash(result) == CFHash(identity));
    // The identity gives the key of its item.
    SecKeyRef key = NULL;
    if (result) CHECK_STATUS(SecIdentityCopyPrivateKey((SecIdentityRef)result, &key), errSecSuccess);
    drop(result);
    CFDataRef message = data("a message");
    CFDataRef signature = SecKeyCreateSignature(key, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256, message, NULL);
    SecKeyRef half = SecCertificateCopyKey(certificate);
    CHECK(signature && SecKeyVerifySignature(half, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256, message, signature, NULL));
    CHECK_STATUS(erase(dictionary(kSecValueRef, found_one, NULL)), errSecSuccess);
    CHECK(!found(query));
    CFTypeRef objects[] = {query, found_one, key, message, signature, half};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

void test_identities(void) {
    SecIdentityRef identity = in_memory(), made = NULL;
    if (!identity) return;
    SecCertificateRef certificate = NULL, other = sample_leaf();
    SecKeyRef key = NULL;
    CHECK_STATUS(SecIdentityCopyCertificate(identity, &certificate), errSecSuccess);
    CHECK_STATUS(SecIdentityCopyPrivateKey(identity, &key), errSecSuccess);
    CHECK(is_of(certificate, SecCertificateGetTypeID()) && is_of(key, SecKeyGetTypeID()));
    made = SecIdentityCreate(NULL, certificate, key);
    CHECK(made && CFEqual(made, identity));
    drop(made);
    // A certificate and another's key make no identity.
    CHECK(!SecIdentityCreate(NULL, other, key) && !SecIdentityCreate(NULL, NULL, key));
    CHECK(!SecIdentityCreate(NULL, certificate, NULL) && !SecIdentityCreate(NULL, (SecCertificateRef)key, key));
    CHECK_STATUS(SecIdentityCopyCertificate(NULL, &certificate), errSecParam);
    CHECK_STATUS(SecIdentityCopyCertificate(identity, NULL), errSecParam);
    CHECK_STATUS(SecIdentityCopyPrivateKey((SecIdentityRef)key, &key), errSecParam);
    CHECK_STATUS(SecIdentityCopyPrivateKey(identity, NULL), errSecParam);
    CHECK_STATUS(SecIdentityCreateWithCertificate(NULL, NULL, &made), errSecParam);
    CHECK_STATUS(SecIdentityCreateWithCertificate(NULL, certificate, NULL), errSecParam);
    CHECK_STATUS(SecIdentityCreateWithCertificate(key, certificate, &made), errSecParam);
    CHECK_STATUS(SecIdentitySetPreferred(identity, NULL, NULL), errSecParam);
    CHECK(!SecIdentityCopyPreferred(NULL, NULL, NULL) && !SecIdentityCopyPreferred(CFSTR("nobody.example.org"), NULL, NULL));
    CHECK_STATUS(SecIdentityCopySystemIdentity(NULL, &made, NULL), errSecParam);
    CHECK_STATUS(SecIdentityCopySystemIdentity(kSecIdentityDomainDefault, NULL, NULL), errSecParam);
    test_stored_identity(identity, certificate);
    drop(other);
    drop(certificate);
    drop(key);
    CFRelease(identity);
}
