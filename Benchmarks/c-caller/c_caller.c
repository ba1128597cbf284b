#include "c_caller.h"

#include <Security/Security.h>

const void *c_caller_query(const char *service, const char *account) {
    CFMutableDictionaryRef query =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFStringRef first = CFStringCreateWithCString(NULL, service, kCFStringEncodingUTF8);
    CFStringRef second = CFStringCreateWithCString(NULL, account, kCFStringEncodingUTF8);
    CFDictionarySetValue(query, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(query, kSecAttrService, first);
    CFDictionarySetValue(query, kSecAttrAccount, second);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitOne);
    CFRelease(first);
    CFRelease(second);
    return query;
}

bool c_caller_look_up(const void *query) {
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    bool found = status == errSecSuccess && result && CFGetTypeID(result) == CFDataGetTypeID();
    if (result) CFRelease(result);
    CFRelease(query);
    return found;
}
