/* Programs that an entry of an access object allows without a prompt. */
#ifndef CHATELAINE_SECTRUSTEDAPPLICATION_H
#define CHATELAINE_SECTRUSTEDAPPLICATION_H

#include <CoreFoundation/CFData.h>
#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

CF_EXPORT CFTypeID SecTrustedApplicationGetTypeID(void);

/*
 * Makes a trusted application of the program at a path, or for NULL of the calling program. Returns 100000 plus the
 * system's error number where there is no program, and errSecParam for a program whose signature is not valid.
 */
CF_EXPORT OSStatus SecTrustedApplicationCreateFromPath(const char *path, SecTrustedApplicationRef *app);

/* Copies data from which SecTrustedApplicationSetData makes an equal trusted application. */
CF_EXPORT OSStatus SecTrustedApplicationCopyData(SecTrustedApplicationRef appRef, CFDataRef *data);

/*
 * Makes a trusted application equal to the one whose data SecTrustedApplicationCopyData copied; errSecParam for any
 * other data.
 */
CF_EXPORT OSStatus SecTrustedApplicationSetData(SecTrustedApplicationRef appRef, CFDataRef data);

CF_EXTERN_C_END

#endif
