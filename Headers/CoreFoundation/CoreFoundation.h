/*
 * CoreFoundation, as far as programs that use the keychain need it.
 *
 * The functions are those of the CoreFoundation that ships with Swift (libFoundation.so). These headers declare the
 * part that keychain code calls, for any C or C++ compiler and without special flags. Programs that need the rest put
 * the toolchain's folder usr/lib/swift before this folder; see Documentation/from-c.md.
 *
 * Ownership: the caller of CFRetain, or of a function with Create or Copy in its name, owes one CFRelease. The caller
 * does not own what a Get function returns.
 */
#ifndef CHATELAINE_COREFOUNDATION_H
#define CHATELAINE_COREFOUNDATION_H

/* Programs for Apple's platforms rely on these system headers. */
#ifndef CF_EXCLUDE_CSTD_HEADERS
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#endif

#include <CoreFoundation/CFBase.h>

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFCharacterSet.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <CoreFoundation/CFLocale.h>
#include <CoreFoundation/CFNumber.h>
#include <CoreFoundation/CFPropertyList.h>
#include <CoreFoundation/CFRunLoop.h>
#include <CoreFoundation/CFSet.h>
#include <CoreFoundation/CFString.h>
#include <CoreFoundation/CFTimeZone.h>
#include <CoreFoundation/CFURL.h>
#include <CoreFoundation/CFUUID.h>

#endif
