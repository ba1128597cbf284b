/* Searches that return the items of file keychains one by one. */
#ifndef CHATELAINE_SECKEYCHAINSEARCH_H
#define CHATELAINE_SECKEYCHAINSEARCH_H

#include <Security/SecKeychainItem.h>

CF_EXTERN_C_BEGIN

CF_EXPORT CFTypeID SecKeychainSearchGetTypeID(void);

/*
 * Makes a search for items of a class with these attributes; a NULL list finds all items of the class.
 *
 * It searches a keychain, the keychains of a CFArray, or for NULL the search list. The search runs at the first
 * SecKeychainSearchCopyNext.
 */
CF_EXPORT OSStatus SecKeychainSearchCreateFromAttributes(
    CFTypeRef keychainOrArray, SecItemClass itemClass, const SecKeychainAttributeList *attrList,
    SecKeychainSearchRef *searchRef);

/* Copies the next item; errSecItemNotFound after the last. */
CF_EXPORT OSStatus SecKeychainSearchCopyNext(SecKeychainSearchRef searchRef, SecKeychainItemRef *itemRef);

CF_EXTERN_C_END

#endif
