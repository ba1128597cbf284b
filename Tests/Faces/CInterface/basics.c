// Tests of constants, random numbers and messages.
#include <string.h>
#include <sys/mman.h>

#include "check.h"

void test_constants(void) {
    CHECK(CFGetTypeID(kSecClass) == CFStringGetTypeID());
    CHECK(is_text(kSecClass, "class") && is_text(kSecClassGenericPassword, "genp"));
    CHECK(is_text(kSecAttrProtocolFTP, "ftp "));
    CHECK(CFEqual(kSecAttrKeyType, kSecAttrType));
    CHECK(CFHash(kSecAttrAccount) == CFHash(CFSTR("acct")));
    // A constant is never freed, even if it is released too often.
    for (int round = 0; round < 1000; round++) CFRelease(kSecAttrAccount);
    CFRetain(kSecAttrAccount);
    CHECK(is_text(kSecAttrAccount, "acct"));
    CFStringRef copy = CFStringCreateCopy(NULL, kSecAttrAccount);
    CHECK(CFEqual(copy, kSecAttrAccount));
    CFRelease(copy);
    CHECK(errSecSuccess == 0 && errSecItemNotFound == -25300 && errSecDskFull == errSecDiskFull);
    CHECK(SecAccessControlCreateWithFlags != NULL);
    CHECK(SecAccessControlGetTypeID() != 0 && SecAccessControlGetTypeID() == SecAccessControlGetTypeID());
}

void test_random(void) {
    unsigned char bytes[64] = {0}, more[64] = {0};
    CHECK_STATUS(SecRandomCopyBytes(kSecRandomDefault, sizeof bytes, bytes), errSecSuccess);
    CHECK_STATUS(SecRandomCopyBytes(NULL, sizeof more - 1, more), errSecSuccess);
    CHECK(memcmp(bytes, more, sizeof bytes - 1) != 0 && more[sizeof more - 1] == 0);
    CHECK_STATUS(SecRandomCopyBytes(kSecRandomDefault, 0, NULL), errSecSuccess);
    CHECK_STATUS(SecRandomCopyBytes(kSecRandomDefault, 1, NULL), errSecParam);
    CHECK_STATUS(SecRandomCopyBytes(kSecRandomDefault, SIZE_MAX, bytes), errSecParam);
    // There is one source, and the call ignores its source argument.
    CHECK_STATUS(SecRandomCopyBytes((SecRandomRef)(const void *)bytes, 1, bytes), errSecSuccess);
    void *locked = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_STATUS(SecRandomCopyBytes(kSecRandomDefault, 16, locked), errSecParam);
    munmap(locked, 4096);
}

void test_passwords(void) {
    CFStringRef password = SecCreateSharedWebCredentialPassword(), other = SecCreateSharedWebCredentialPassword();
    char text[16];
    CHECK(password && CFGetTypeID(password) == CFStringGetTypeID() && CFStringGetLength(password) == 15);
    CHECK(CFStringGetCString(password, text, sizeof text, kCFStringEncodingASCII));
    CHECK(text[3] == '-' && text[7] == '-' && text[11] == '-');
    CHECK(strpbrk(text, "abcdefghkmnopqrstuvwxy") && strpbrk(text, "ABCDEFGHJKLMNPQRSTUVWXYZ") && strpbrk(text, "3456789"));
    CHECK(other && !CFEqual(password, other));
    CFRelease(password);
    CFRelease(other);
}

void test_messages(void) {
    CFStringRef message = SecCopyErrorMessageString(errSecItemNotFound, NULL);
    CHECK(message && CFStringGetLength(message) >= 40);
    CFRelease(message);
    message = SecCopyErrorMessageString(123456, NULL);
    CHECK(is_text(message, "OSStatus 123456"));
    CFRelease(message);
}
