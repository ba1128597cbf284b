/* Programs that an entry of an access object lets in without asking. */
#ifndef CHATELAINE_SECTRUSTEDAPPLICATION_H
#define CHATELAINE_SECTRUSTEDAPPLICATION_H

#include <CoreFoundation/CFData.h>
#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

CF_EXPORT CFTypeID SecTrustedApplicationGetTypeID(void);

/*
 * Makes a trusted application of the program at a path, or of the calling program where that is NULL. 100000 and the
 * system's error number where there is no program; errSecParam for one whose signature does not count.
 */
CF_EXPORT OSStatus SecTrustedApplicationCreateFromPath(const char *path, SecTrustedApplicationRef *app);

/* Copies a form of it from which SecTrustedApplicationSetData makes an equal one. */
CF_EXPORT OSStatus SecTrustedApplicationCopyData(SecTrustedApplicationRef appRef, CFDataRef *data);

/* Makes it what SecTrustedApplicationCopyData had said of another; errSecParam for other data. */
CF_EXPORT OSStatus SecTrustedApplicationSetData(SecTrustedApplicationRef appRef, CFDataRef data);

CF_EXTERN_C_END

#endif
