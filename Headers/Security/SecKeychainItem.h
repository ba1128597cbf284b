/* References to the items of a keychain. */
#ifndef CHATELAINE_SECKEYCHAINITEM_H
#define CHATELAINE_SECKEYCHAINITEM_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The type of the objects that results carry for a password where kSecReturnRef asks for one, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecKeychainItemGetTypeID(void);

CF_EXTERN_C_END

#endif
