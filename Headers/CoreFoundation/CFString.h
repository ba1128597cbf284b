/* Strings. */
#ifndef CHATELAINE_CFSTRING_H
#define CHATELAINE_CFSTRING_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDictionary.h>

CF_EXTERN_C_BEGIN

typedef UInt32 CFStringEncoding;
#define kCFStringEncodingInvalidId (0xffffffffU)
enum {
    kCFStringEncodingMacRoman = 0,
    kCFStringEncodingWindowsLatin1 = 0x0500,
    kCFStringEncodingISOLatin1 = 0x0201,
    kCFStringEncodingASCII = 0x0600,
    kCFStringEncodingUnicode = 0x0100,
    kCFStringEncodingUTF8 = 0x08000100,
    kCFStringEncodingUTF16 = 0x0100,
    kCFStringEncodingUTF16BE = 0x10000100,
    kCFStringEncodingUTF16LE = 0x14000100,
    kCFStringEncodingUTF32 = 0x0c000100
};

/* What the compiler lays down for CFSTR; not for use by itself. */
struct chatelaine_constant_string {
    const void *type;
    uintptr_t count;
    uint64_t information;
    const char *bytes;
    uint32_t length;
};
extern const char chatelaine_constant_string_class[] __asm__("$s10Foundation19_NSCFConstantStringCN");
/* A count that is never changed, and "bytes follow elsewhere, one each, ending in zero". */
#define CHATELAINE_CONSTANT_STRING(literal) \
    { chatelaine_constant_string_class, 0x80000004ffffffff, 0x07c8, literal, sizeof(literal) - 1 }

/* The string object of a literal of ASCII characters, inside a function; it lives as long as the process. */
#define CFSTR(literal) \
    (__extension__({ \
        static struct chatelaine_constant_string constant = CHATELAINE_CONSTANT_STRING("" literal ""); \
        (CFStringRef)(const void *)&constant; \
    }))

typedef CFOptionFlags CFStringCompareFlags;
enum { kCFCompareCaseInsensitive = 1, kCFCompareBackwards = 4, kCFCompareAnchored = 8, kCFCompareNumerically = 64 };

CF_EXPORT CFTypeID CFStringGetTypeID(void);
/* NULL where the bytes are not text in that encoding. */
CF_EXPORT CFStringRef CFStringCreateWithCString(CFAllocatorRef alloc, const char *cStr, CFStringEncoding encoding);
CF_EXPORT CFStringRef CFStringCreateWithBytes(
    CFAllocatorRef alloc, const UInt8 *bytes, CFIndex numBytes, CFStringEncoding encoding,
    Boolean isExternalRepresentation);
CF_EXPORT CFStringRef CFStringCreateWithCharacters(CFAllocatorRef alloc, const UniChar *chars, CFIndex numChars);
CF_EXPORT CFStringRef CFStringCreateWithSubstring(CFAllocatorRef alloc, CFStringRef str, CFRange range);
CF_EXPORT CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString);
/* The format's own conversion %@ takes an object. */
CF_EXPORT CFStringRef CFStringCreateWithFormat(
    CFAllocatorRef alloc, CFDictionaryRef formatOptions, CFStringRef format, ...);
CF_EXPORT CFStringRef CFStringCreateFromExternalRepresentation(
    CFAllocatorRef alloc, CFDataRef data, CFStringEncoding encoding);
CF_EXPORT CFDataRef CFStringCreateExternalRepresentation(
    CFAllocatorRef alloc, CFStringRef theString, CFStringEncoding encoding, UInt8 lossByte);
CF_EXPORT CFMutableStringRef CFStringCreateMutable(CFAllocatorRef alloc, CFIndex maxLength);
CF_EXPORT CFMutableStringRef CFStringCreateMutableCopy(
    CFAllocatorRef alloc, CFIndex maxLength, CFStringRef theString);

/* In units of UTF-16. */
CF_EXPORT CFIndex CFStringGetLength(CFStringRef theString);
CF_EXPORT UniChar CFStringGetCharacterAtIndex(CFStringRef theString, CFIndex idx);
CF_EXPORT void CFStringGetCharacters(CFStringRef theString, CFRange range, UniChar *buffer);
/* False where the buffer is too short, or the encoding does not have a character. */
CF_EXPORT Boolean CFStringGetCString(
    CFStringRef theString, char *buffer, CFIndex bufferSize, CFStringEncoding encoding);
/* NULL where the string is not stored in that encoding, which may be at any time. */
CF_EXPORT const char *CFStringGetCStringPtr(CFStringRef theString, CFStringEncoding encoding);
CF_EXPORT CFIndex CFStringGetBytes(
    CFStringRef theString, CFRange range, CFStringEncoding encoding, UInt8 lossByte,
    Boolean isExternalRepresentation, UInt8 *buffer, CFIndex maxBufLen, CFIndex *usedBufLen);
CF_EXPORT CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding);

CF_EXPORT CFComparisonResult CFStringCompare(
    CFStringRef theString1, CFStringRef theString2, CFStringCompareFlags compareOptions);
CF_EXPORT Boolean CFStringHasPrefix(CFStringRef theString, CFStringRef prefix);
CF_EXPORT Boolean CFStringHasSuffix(CFStringRef theString, CFStringRef suffix);
CF_EXPORT CFRange CFStringFind(
    CFStringRef theString, CFStringRef stringToFind, CFStringCompareFlags compareOptions);

CF_EXPORT void CFStringAppend(CFMutableStringRef theString, CFStringRef appendedString);
CF_EXPORT void CFStringAppendCString(CFMutableStringRef theString, const char *cStr, CFStringEncoding encoding);
CF_EXPORT void CFStringReplaceAll(CFMutableStringRef theString, CFStringRef replacement);

CF_EXTERN_C_END

#endif
