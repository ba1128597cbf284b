// Tests that CoreFoundation's declared functions do their work, as far as programs around the keychain use them.
#include "check.h"

static void test_character_sets(void) {
    CFCharacterSetRef hexadecimal = CFCharacterSetCreateWithCharactersInString(NULL, CFSTR("0123456789abcdef"));
    CFCharacterSetRef others = CFCharacterSetCreateInvertedSet(NULL, hexadecimal);
    CHECK(CFGetTypeID(hexadecimal) == CFCharacterSetGetTypeID());
    CHECK(CFCharacterSetIsCharacterMember(hexadecimal, 'a') && !CFCharacterSetIsCharacterMember(hexadecimal, 'g'));
    CHECK(CFCharacterSetIsLongCharacterMember(others, 0x1f5dd));
    CFRange found = {0, 0};
    CHECK(CFStringFindCharacterFromSet(CFSTR("cafe!"), others, CFRangeMake(0, 5), 0, &found) && found.location == 4);
    CHECK(CFCharacterSetIsCharacterMember(CFCharacterSetGetPredefined(kCFCharacterSetNewline), '\n'));
    CFRelease(others);
    CFRelease(hexadecimal);
}

static void test_gregorian_dates(void) {
    CFGregorianDate date = {2024, 2, 29, 12, 30, 15.5};
    CFTimeZoneRef zone = CFTimeZoneCreateWithTimeIntervalFromGMT(NULL, 3600);
    CFAbsoluteTime at = CFGregorianDateGetAbsoluteTime(date, NULL);
    // 8 459 days after 1 January 2001.
    CHECK(at == 8459 * 86400.0 + 12 * 3600 + 30 * 60 + 15.5);
    CHECK(CFGregorianDateGetAbsoluteTime(date, zone) == at - 3600);
    CFGregorianDate again = CFAbsoluteTimeGetGregorianDate(at, zone);
    CHECK(again.year == 2024 && again.month == 2 && again.day == 29 && again.hour == 13 && again.minute == 30);
    CHECK(again.second == 15.5 && CFAbsoluteTimeGetDayOfWeek(at, NULL) == 4);
    CFGregorianUnits year = {1, 0, 0, 0, 0, 0};
    again = CFAbsoluteTimeGetGregorianDate(CFAbsoluteTimeAddGregorianUnits(at, NULL, year), NULL);
    CHECK(again.year == 2025 && again.month == 2 && again.day == 28);
    date.day = 30;
    CHECK(!CFGregorianDateIsValid(date, kCFGregorianAllUnits));
    CFRelease(zone);
}

static CFStringRef formatted(CFStringRef format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CFStringRef result = CFStringCreateWithFormatAndArguments(NULL, NULL, format, arguments);
    va_end(arguments);
    return result;
}

static void test_strings(void) {
    CFStringRef text = formatted(CFSTR("%@ %d %s"), CFSTR("mail"), -25300, "x");
    CHECK(is_text(text, "mail -25300 x"));
    CFMutableStringRef mutable = CFStringCreateMutableCopy(NULL, 0, text);
    CFStringAppendFormat(mutable, NULL, CFSTR("/%02x"), 10);
    CHECK(CFStringFindAndReplace(
              mutable, CFSTR("mail"), CFSTR("post"), CFRangeMake(0, CFStringGetLength(mutable)), 0) == 1);
    CFStringUppercase(mutable, NULL);
    CHECK(is_text(mutable, "POST -25300 X/0A"));
    CFArrayRef words = CFStringCreateArrayBySeparatingStrings(NULL, text, CFSTR(" "));
    CHECK(CFArrayGetCount(words) == 3 && CFStringGetIntValue(CFArrayGetValueAtIndex(words, 1)) == -25300);
    CFStringRef joined = CFStringCreateByCombiningStrings(NULL, words, CFSTR("-"));
    CHECK(is_text(joined, "mail--25300-x"));
    CFRelease(joined);
    CFRelease(words);
    CFRelease(mutable);
    CFRelease(text);
    // Boolean is as wide as the bool of the built CoreFoundation, as argument, as result, and in larger storage.
    const UInt8 marked[] = {0xff, 0xfe, 'a', 0};
    const Boolean yes = true;
    text = CFStringCreateWithBytes(NULL, marked, sizeof marked, kCFStringEncodingUTF16, yes);
    CHECK(is_text(text, "a") && CFStringHasPrefix(text, CFSTR("a")) == yes && CFEqual(text, CFSTR("b")) == FALSE);
    CFRelease(text);
    CHECK(sizeof(Boolean) == 1 && (Boolean)-1 == 255);
}

static void test_data(void) {
    static const UInt8 bytes[] = {1, 2, 3, 4};
    CFDataRef borrowed = CFDataCreateWithBytesNoCopy(NULL, bytes, 4, kCFAllocatorNull);
    CHECK(CFDataGetBytePtr(borrowed) == bytes);
    CFMutableDataRef copy = CFDataCreateMutableCopy(NULL, 0, borrowed);
    CFRelease(borrowed);
    CFDataAppendBytes(copy, bytes + 1, 2);
    CFDataRef part = CFDataCreate(NULL, bytes + 1, 2);
    CFRange last = CFDataFind(copy, part, CFRangeMake(0, CFDataGetLength(copy)), kCFDataSearchBackwards);
    CHECK(CFDataGetLength(copy) == 6 && last.location == 4);
    CFRelease(part);
    CFRelease(copy);
    // The object frees memory that it was given.
    UInt8 *own = (UInt8 *)malloc(4);
    CFRelease(CFDataCreateWithBytesNoCopy(NULL, own, 4, kCFAllocatorMalloc));
    void *memory = CFAllocatorAllocate(kCFAllocatorDefault, 16, 0);
    CHECK(memory != NULL);
    CFAllocatorDeallocate(kCFAllocatorDefault, memory);
}

static CFComparisonResult in_order(const void *first, const void *second, void *context) {
    return CFStringCompare(first, second, *(CFStringCompareFlags *)context);
}

static void count(const void *value, void *total) { *(CFIndex *)total += CFStringGetLength(value); }

static void test_collections(void) {
    CFStringCompareFlags flags = kCFCompareCaseInsensitive;
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    CFArrayAppendValue(array, CFSTR("pear"));
    CFArrayAppendValue(array, CFSTR("Apple"));
    CFArrayAppendArray(array, array, CFRangeMake(0, 1));
    CFArraySortValues(array, CFRangeMake(0, 3), in_order, &flags);
    CHECK(is_text(CFArrayGetValueAtIndex(array, 0), "Apple"));
    CHECK(CFArrayGetCountOfValue(array, CFRangeMake(0, 3), CFSTR("pear")) == 2);
    CHECK(CFArrayBSearchValues(array, CFRangeMake(0, 3), CFSTR("apple"), in_order, &flags) == 0);
    CFIndex total = 0;
    CFArrayApplyFunction(array, CFRangeMake(0, 3), count, &total);
    CHECK(total == 13);
    CFSetRef set = CFSetCreate(NULL, (const void *[]){CFSTR("a"), CFSTR("a")}, 2, &kCFTypeSetCallBacks);
    CFMutableSetRef more = CFSetCreateMutableCopy(NULL, 0, set);
    CFSetAddValue(more, CFSTR("b"));
    CHECK(CFSetGetCount(set) == 1 && CFSetGetCount(more) == 2 && CFSetGetCountOfValue(more, CFSTR("b")) == 1);
    CFDictionaryRef counted = dictionary(kSecClass, CFSTR("x"), kSecAttrLabel, CFSTR("x"), NULL);
    CHECK(CFDictionaryGetCountOfValue(counted, CFSTR("x")) == 2);
    CHECK(CFDictionaryGetCountOfKey(counted, kSecAttrAccount) == 0);
    CFRelease(counted);
    CFRelease(more);
    CFRelease(set);
    CFRelease(array);
}

static void test_lists_and_locators(void) {
    CFDictionaryRef dictionary_ = dictionary(CFSTR("key"), CFSTR("value"), NULL);
    CFErrorRef error = NULL;
    CFDataRef list = CFPropertyListCreateData(NULL, dictionary_, kCFPropertyListBinaryFormat_v1_0, 0, &error);
    CFPropertyListFormat format = 0;
    CFPropertyListRef again = CFPropertyListCreateWithData(NULL, list, kCFPropertyListImmutable, &format, &error);
    CHECK(error == NULL && CFEqual(again, dictionary_) && format == kCFPropertyListBinaryFormat_v1_0);
    CFRelease(again);
    CFRelease(list);
    CFRelease(dictionary_);
    CFURLRef url = CFURLCreateWithString(NULL, CFSTR("https://anna@mail.example:993/in"), NULL);
    CFStringRef host = CFURLCopyHostName(url), scheme = CFURLCopyScheme(url);
    CHECK(is_text(host, "mail.example") && is_text(scheme, "https") && CFURLGetPortNumber(url) == 993);
    CFRelease(scheme);
    CFRelease(host);
    CFRelease(url);
}

static void test_errors_and_identifiers(void) {
    const void *keys[] = {kCFErrorLocalizedFailureReasonKey}, *values[] = {CFSTR("no reason")};
    CFErrorRef error = CFErrorCreateWithUserInfoKeysAndValues(NULL, kCFErrorDomainOSStatus, errSecParam, keys, values, 1);
    CFStringRef reason = CFErrorCopyFailureReason(error);
    CHECK(CFErrorGetCode(error) == errSecParam && is_text(reason, "no reason"));
    CFRelease(reason);
    CFRelease(error);
    CFUUIDRef uuid = CFUUIDGetConstantUUIDWithBytes(NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    CHECK(CFUUIDGetUUIDBytes(uuid).byte15 == 16);
    CHECK(uuid == CFUUIDGetConstantUUIDWithBytes(NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
}

void test_foundation(void) {
    test_character_sets();
    test_gregorian_dates();
    test_strings();
    test_data();
    test_collections();
    test_lists_and_locators();
    test_errors_and_identifiers();
}

/// Code that sorts results asks for these types, although no result has one of them yet.
void test_type_identifiers(void) {
    const struct {
        CFTypeID identifier;
        const char *name;
    } types[] = {
        {SecAccessControlGetTypeID(), "SecAccessControl"},
        {SecKeyGetTypeID(), "SecKey"},
        {SecCertificateGetTypeID(), "SecCertificate"},
        {SecIdentityGetTypeID(), "SecIdentity"},
    };
    for (size_t index = 0; index < sizeof types / sizeof types[0]; index++) {
        CFStringRef name = CFCopyTypeIDDescription(types[index].identifier);
        CHECK(types[index].identifier != 0 && is_text(name, types[index].name));
        CFRelease(name);
        for (size_t other = 0; other < index; other++) CHECK(types[other].identifier != types[index].identifier);
        CHECK(CFGetTypeID(kSecClass) != types[index].identifier);
    }
    CHECK(SecKeyGetTypeID() == SecKeyGetTypeID());
}
