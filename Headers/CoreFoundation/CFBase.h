/* Basic types, and functions for objects of every type. */
#ifndef CHATELAINE_CFBASE_H
#define CHATELAINE_CFBASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CF_EXTERN_C_BEGIN extern "C" {
#define CF_EXTERN_C_END }
#else
#define CF_EXTERN_C_BEGIN
#define CF_EXTERN_C_END
#endif

#define CF_EXPORT extern
#define CF_INLINE static inline

/* Annotations for static analysers in Apple's declarations; empty here. */
#define CF_RETURNS_RETAINED
#define CF_RETURNS_NOT_RETAINED
#define CF_CONSUMED
#define CF_RELEASES_ARGUMENT

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

CF_EXTERN_C_BEGIN

/*
 * A truth value, declared as on Apple's platforms.
 *
 * CoreFoundation on Linux is built with bool, which is the same byte, and returns only 0 and 1. Pass it only 0 and 1,
 * and return only those from callbacks: it may test a single bit.
 */
typedef unsigned char Boolean;
typedef unsigned char UInt8;
typedef signed char SInt8;
typedef unsigned short UInt16;
typedef signed short SInt16;
typedef unsigned int UInt32;
typedef signed int SInt32;
typedef uint64_t UInt64;
typedef int64_t SInt64;
typedef float Float32;
typedef double Float64;
typedef unsigned short UniChar;
typedef UInt8 UTF8Char;
typedef UInt16 UTF16Char;
typedef UInt32 UTF32Char;
typedef UInt8 Byte;
typedef UInt32 FourCharCode;
typedef FourCharCode OSType;
/* The result of a call: 0 is success. */
typedef SInt32 OSStatus;
typedef SInt16 OSErr;

/* Identifies the type of an object, within one process. */
typedef unsigned long CFTypeID;
typedef unsigned long CFOptionFlags;
typedef unsigned long CFHashCode;
typedef signed long CFIndex;

/* Any object. */
typedef const void *CFTypeRef;
typedef CFTypeRef CFPropertyListRef;
typedef const struct __CFString *CFStringRef;
typedef struct __CFString *CFMutableStringRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFNull *CFNullRef;

typedef CFIndex CFComparisonResult;
enum { kCFCompareLessThan = -1, kCFCompareEqualTo = 0, kCFCompareGreaterThan = 1 };
typedef CFComparisonResult (*CFComparatorFunction)(const void *val1, const void *val2, void *context);

/* The index that a search returns when it finds nothing. */
enum { kCFNotFound = -1 };

typedef struct {
    CFIndex location;
    CFIndex length;
} CFRange;

static inline CFRange CFRangeMake(CFIndex location, CFIndex length) {
    CFRange range;
    range.location = location;
    range.length = length;
    return range;
}

/* The default allocator; the same as NULL. */
CF_EXPORT const CFAllocatorRef kCFAllocatorDefault;
CF_EXPORT const CFAllocatorRef kCFAllocatorSystemDefault;
CF_EXPORT const CFAllocatorRef kCFAllocatorMalloc;
/* An allocator that frees nothing, for memory that outlives the object. */
CF_EXPORT const CFAllocatorRef kCFAllocatorNull;

/* Programs cannot make allocators of their own: CoreFoundation on Linux ends the process in CFAllocatorCreate. */
CF_EXPORT CFTypeID CFAllocatorGetTypeID(void);
CF_EXPORT CFAllocatorRef CFAllocatorGetDefault(void);
CF_EXPORT void *CFAllocatorAllocate(CFAllocatorRef allocator, CFIndex size, CFOptionFlags hint);
CF_EXPORT void *CFAllocatorReallocate(CFAllocatorRef allocator, void *ptr, CFIndex newsize, CFOptionFlags hint);
CF_EXPORT void CFAllocatorDeallocate(CFAllocatorRef allocator, void *ptr);

/* The object that stands for a missing value in collections. */
CF_EXPORT const CFNullRef kCFNull;
CF_EXPORT CFTypeID CFNullGetTypeID(void);

CF_EXPORT CFTypeID CFGetTypeID(CFTypeRef cf);
CF_EXPORT CFStringRef CFCopyTypeIDDescription(CFTypeID type_id);
CF_EXPORT CFTypeRef CFRetain(CFTypeRef cf);
CF_EXPORT void CFRelease(CFTypeRef cf);
CF_EXPORT Boolean CFEqual(CFTypeRef cf1, CFTypeRef cf2);
CF_EXPORT CFHashCode CFHash(CFTypeRef cf);
CF_EXPORT CFStringRef CFCopyDescription(CFTypeRef cf);
CF_EXPORT CFAllocatorRef CFGetAllocator(CFTypeRef cf);
/* Writes a description to standard error. */
CF_EXPORT void CFShow(CFTypeRef obj);

CF_EXTERN_C_END

#endif
