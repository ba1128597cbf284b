// Keeps a private key in the keychain: makes one by a name, signs with it, verifies, and deletes it.
//
//     cc -o key key.c $(pkg-config --cflags --libs chatelaine)
//     ./key make release
//     ./key sign release < program > program.signature
//     ./key verify release program.signature < program
//     ./key delete release
//
// The key is made and used in the daemons; this program never has its bytes.
#include <Security/Security.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 1 << 20, BITS = 256 };

static CFMutableDictionaryRef dictionary(void) {
    return CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

/// Sets a value of which the dictionary has a reference of its own then.
static void put(CFMutableDictionaryRef dictionary, CFTypeRef key, CFTypeRef value) {
    if (!value) return;
    CFDictionarySetValue(dictionary, key, value);
    CFRelease(value);
}

/// The tag by which a program finds its key.
static CFDataRef tag(const char *name) { return CFDataCreate(NULL, (const UInt8 *)name, (CFIndex)strlen(name)); }

/// Class, half and tag: what tells one key from all others.
static CFMutableDictionaryRef item(const char *name) {
    CFMutableDictionaryRef item = dictionary();
    CFDictionarySetValue(item, kSecClass, kSecClassKey);
    CFDictionarySetValue(item, kSecAttrKeyClass, kSecAttrKeyClassPrivate);
    put(item, kSecAttrApplicationTag, tag(name));
    return item;
}

/// All of a file, NULL for one that is too long.
static CFDataRef contents(FILE *file) {
    static UInt8 bytes[LIMIT];
    size_t count = fread(bytes, 1, sizeof bytes, file);
    return feof(file) ? CFDataCreate(NULL, bytes, (CFIndex)count) : NULL;
}

/// The status of an error, which is released.
static OSStatus status_of(CFErrorRef error) {
    if (!error) return errSecParam;
    OSStatus status = (OSStatus)CFErrorGetCode(error);
    CFRelease(error);
    return status;
}

/// A key of P-256 that stays in the keychain: it is found by its tag, and its bytes never leave.
static OSStatus make(const char *name) {
    CFMutableDictionaryRef wanted = dictionary(), own = dictionary();
    int bits = BITS;
    CFErrorRef error = NULL;
    CFDictionarySetValue(own, kSecAttrIsPermanent, kCFBooleanTrue);
    CFDictionarySetValue(own, kSecAttrIsExtractable, kCFBooleanFalse);
    put(own, kSecAttrApplicationTag, tag(name));
    CFDictionarySetValue(wanted, kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom);
    put(wanted, kSecAttrKeySizeInBits, CFNumberCreate(NULL, kCFNumberIntType, &bits));
    put(wanted, kSecPrivateKeyAttrs, own);
    SecKeyRef key = SecKeyCreateRandomKey(wanted, &error);
    CFRelease(wanted);
    if (!key) return status_of(error);
    CFRelease(key);
    return errSecSuccess;
}

/// The private key: an object that stands for the item, and is to be released.
static OSStatus find(CFMutableDictionaryRef item, SecKeyRef *key) {
    CFDictionarySetValue(item, kSecReturnRef, kCFBooleanTrue);
    CFTypeRef found = NULL;
    OSStatus status = SecItemCopyMatching(item, &found);
    *key = (SecKeyRef)found;
    return status;
}

static OSStatus sign(SecKeyRef key, CFDataRef message) {
    CFErrorRef error = NULL;
    CFDataRef signature =
        SecKeyCreateSignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, &error);
    if (!signature) return status_of(error);
    size_t count = (size_t)CFDataGetLength(signature);
    bool isWritten = fwrite(CFDataGetBytePtr(signature), 1, count, stdout) == count && fflush(stdout) == 0;
    CFRelease(signature);
    return isWritten ? errSecSuccess : errSecIO;
}

/// With the public key, which anybody may have: no daemon is asked.
static OSStatus verify(SecKeyRef key, CFDataRef message, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return errSecIO;
    CFDataRef signature = contents(file);
    fclose(file);
    SecKeyRef publicKey = SecKeyCopyPublicKey(key);
    CFErrorRef error = NULL;
    OSStatus status = errSecSuccess;
    if (!signature || !publicKey ||
        !SecKeyVerifySignature(
            publicKey, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, signature, &error))
        status = status_of(error);
    if (publicKey) CFRelease(publicKey);
    if (signature) CFRelease(signature);
    return status;
}

static OSStatus use(int count, char **arguments, CFMutableDictionaryRef item) {
    SecKeyRef key = NULL;
    OSStatus status = find(item, &key);
    if (status != errSecSuccess) return status;
    CFDataRef message = contents(stdin);
    if (!message)
        status = errSecDataTooLarge;
    else
        status = count == 4 ? verify(key, message, arguments[3]) : sign(key, message);
    if (message) CFRelease(message);
    CFRelease(key);
    return status;
}

int main(int count, char **arguments) {
    OSStatus status = errSecParam;
    if (count >= 3) {
        CFMutableDictionaryRef key = item(arguments[2]);
        if (!strcmp(arguments[1], "make") && count == 3) status = make(arguments[2]);
        if (!strcmp(arguments[1], "sign") && count == 3) status = use(count, arguments, key);
        if (!strcmp(arguments[1], "verify") && count == 4) status = use(count, arguments, key);
        if (!strcmp(arguments[1], "delete") && count == 3) status = SecItemDelete(key);
        CFRelease(key);
    }
    if (status == errSecSuccess) return 0;
    CFStringRef message = SecCopyErrorMessageString(status, NULL);
    char text[256] = "";
    if (message) {
        CFStringGetCString(message, text, sizeof text, kCFStringEncodingUTF8);
        CFRelease(message);
    }
    fprintf(stderr, "key: %s (%d)\n", text, (int)status);
    return 1;
}
