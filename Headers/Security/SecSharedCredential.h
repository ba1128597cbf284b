/* Generated passwords for websites. */
#ifndef CHATELAINE_SECSHAREDCREDENTIAL_H
#define CHATELAINE_SECSHAREDCREDENTIAL_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/*
 * Makes a password of the form xxx-xxx-xxx-xxx, from capital and small letters and digits; no two characters of the
 * alphabet look alike. All passwords are equally likely: 68 bits. The caller releases it; NULL where memory runs out.
 */
CF_EXPORT CFStringRef SecCreateSharedWebCredentialPassword(void);

CF_EXTERN_C_END

#endif
