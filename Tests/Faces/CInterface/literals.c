// Tests of CFSTR outside functions: in C with clang's constant strings, and in any C++. They are a program of their
// own, since their compiler flags differ from the suite's.
#include <Security/Security.h>

#if defined(CHATELAINE_CONSTANT_STRINGS) || defined(__cplusplus)
static const CFStringRef outside = CFSTR("outside");
static CFStringRef const table[] = {CFSTR("first"), CFSTR("second")};
#else
#error "this program needs constant strings"
#endif

static int failures;

static void check(int holds, const char *what) {
    if (holds) return;
    failures++;
    fprintf(stderr, "error: not so: %s\n", what);
}

static int is(CFTypeRef object, const char *utf8) {
    CFStringRef expected = CFStringCreateWithCString(NULL, utf8, kCFStringEncodingUTF8);
    int same = object && CFEqual(object, expected) && CFEqual(expected, object) && CFHash(object) == CFHash(expected);
    CFRelease(expected);
    return same;
}

#ifdef CHATELAINE_CONSTANT_STRINGS
static const CFStringRef umlauts = CFSTR("Gr\u00fc\u00dfe, \u65e5\u672c");

static void check_other_characters(void) {
    const void *keys[] = {kSecClass, kSecAttrAccount, kSecReturnAttributes};
    const void *values[] = {kSecClassGenericPassword, umlauts, kCFBooleanTrue};
    CFTypeRef result = NULL;
    CFDictionaryRef query = CFDictionaryCreate(
        NULL, keys, values, 3, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    check(is(umlauts, "Gr\xc3\xbc\xc3\x9f" "e, \xe6\x97\xa5\xe6\x9c\xac"), "any character");
    check(CFStringGetLength(umlauts) == 9, "the length in units of UTF-16");
    check(SecItemAdd(query, &result) == errSecSuccess && result, "stored");
    if (result) {
        check(CFEqual(CFDictionaryGetValue((CFDictionaryRef)result, kSecAttrAccount), umlauts), "found again");
        CFRelease(result);
    }
    check(SecItemDelete(query) == errSecSuccess, "deleted");
    CFRelease(query);
}
#else
static void check_other_characters(void) {}
#endif

int main(void) {
    check(is(outside, "outside"), "outside of functions");
    check(is(table[0], "first") && is(table[1], "second"), "in tables");
    check(is(CFSTR("in" "side"), "inside"), "inside");
    check(is(CFSTR(""), ""), "an empty one");
    // Releasing does not free a literal, as on Apple's platforms.
    for (int round = 0; round < 5; round++) {
        CFRelease(outside);
        CFRelease(CFSTR("inside"));
    }
    check(is(outside, "outside"), "after it was released");
    check_other_characters();
    return failures > 0;
}
