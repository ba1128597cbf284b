/* Searches for items of file keychains, one after the other. */
#ifndef CHATELAINE_SECKEYCHAINSEARCH_H
#define CHATELAINE_SECKEYCHAINSEARCH_H

#include <Security/SecKeychainItem.h>

CF_EXTERN_C_BEGIN

CF_EXPORT CFTypeID SecKeychainSearchGetTypeID(void);

/*
 * Makes a search for items of a class with these attributes, all of the class with NULL. It looks in a keychain, in those of a CFArray, or
 * with NULL in the search list, when the first item is asked for.
 */
CF_EXPORT OSStatus SecKeychainSearchCreateFromAttributes(
    CFTypeRef keychainOrArray, SecItemClass itemClass, const SecKeychainAttributeList *attrList,
    SecKeychainSearchRef *searchRef);

/* Copies the next item; errSecItemNotFound after the last. */
CF_EXPORT OSStatus SecKeychainSearchCopyNext(SecKeychainSearchRef searchRef, SecKeychainItemRef *itemRef);

CF_EXTERN_C_END

#endif
