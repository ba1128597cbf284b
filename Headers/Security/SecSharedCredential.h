/* Passwords that are made for websites. */
#ifndef CHATELAINE_SECSHAREDCREDENTIAL_H
#define CHATELAINE_SECSHAREDCREDENTIAL_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/*
 * Makes a password of the form xxx-xxx-xxx-xxx, with capital and small letters and digits, of which no two look alike. Chance
 * makes each as often as any other: 68 bits. The caller releases it; NULL where there is no memory.
 */
CF_EXPORT CFStringRef SecCreateSharedWebCredentialPassword(void);

CF_EXTERN_C_END

#endif
