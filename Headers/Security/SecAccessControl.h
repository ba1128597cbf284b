/* What protects an item. */
#ifndef CHATELAINE_SECACCESSCONTROL_H
#define CHATELAINE_SECACCESSCONTROL_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The type of the objects that results carry under kSecAttrAccessControl, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecAccessControlGetTypeID(void);

CF_EXTERN_C_END

#endif
