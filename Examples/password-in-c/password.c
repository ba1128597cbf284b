// Keeps passwords in the keychain: stores, shows and deletes one by service and account.
//
//     cc -o password password.c $(pkg-config --cflags --libs chatelaine)
//     ./password set mail ada < file-with-the-password
//     ./password get mail ada
//     ./password delete mail ada
#include <Security/Security.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 4096 };

static CFStringRef string(const char *utf8) { return CFStringCreateWithCString(NULL, utf8, kCFStringEncodingUTF8); }

/// Class, service and account: what tells one password from all others.
static CFMutableDictionaryRef item(const char *service, const char *account) {
    CFMutableDictionaryRef item =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFStringRef serviceString = string(service), accountString = string(account);
    CFDictionarySetValue(item, kSecClass, kSecClassGenericPassword);
    if (serviceString) CFDictionarySetValue(item, kSecAttrService, serviceString);
    if (accountString) CFDictionarySetValue(item, kSecAttrAccount, accountString);
    // The dictionary has references of its own now.
    if (serviceString) CFRelease(serviceString);
    if (accountString) CFRelease(accountString);
    return item;
}

/// Stores what standard input holds, in the place of an older password if there is one.
static OSStatus set(CFMutableDictionaryRef item) {
    UInt8 password[LIMIT];
    size_t count = fread(password, 1, sizeof password, stdin);
    CFDataRef data = CFDataCreate(NULL, password, (CFIndex)count);
    const void *key = kSecValueData, *value = data;
    CFDictionaryRef change =
        CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    OSStatus status = SecItemUpdate(item, change);
    if (status == errSecItemNotFound) {
        CFDictionarySetValue(item, kSecValueData, data);
        status = SecItemAdd(item, NULL);
    }
    CFRelease(change);
    CFRelease(data);
    memset(password, 0, sizeof password);
    return status;
}

static OSStatus get(CFMutableDictionaryRef item) {
    CFDictionarySetValue(item, kSecReturnData, kCFBooleanTrue);
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(item, &result);
    if (status != errSecSuccess) return status;
    fwrite(CFDataGetBytePtr(result), 1, (size_t)CFDataGetLength(result), stdout);
    CFRelease(result);
    return status;
}

int main(int count, char **arguments) {
    OSStatus status = errSecParam;
    if (count == 4) {
        CFMutableDictionaryRef wanted = item(arguments[2], arguments[3]);
        if (strcmp(arguments[1], "set") == 0) status = set(wanted);
        if (strcmp(arguments[1], "get") == 0) status = get(wanted);
        if (strcmp(arguments[1], "delete") == 0) status = SecItemDelete(wanted);
        CFRelease(wanted);
    } else {
        fprintf(stderr, "usage: %s set|get|delete SERVICE ACCOUNT\n", arguments[0]);
    }
    if (status == errSecSuccess) return 0;
    char sentence[200] = "";
    CFStringRef message = SecCopyErrorMessageString(status, NULL);
    CFStringGetCString(message, sentence, sizeof sentence, kCFStringEncodingUTF8);
    CFRelease(message);
    fprintf(stderr, "%s: %s (%d)\n", arguments[0], sentence, (int)status);
    return 1;
}
