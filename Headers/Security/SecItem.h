/* Items of the keychain: add, find, change, delete. */
#ifndef CHATELAINE_SECITEM_H
#define CHATELAINE_SECITEM_H

#include <Security/SecBase.h>
#include <Security/SecItemConstants.h>

CF_EXTERN_C_BEGIN

/*
 * Adds an item. It is on disk when the call returns errSecSuccess; after any other status nothing was added.
 *
 * `attributes` has the class and attributes of the item, its secret under kSecValueData, and what to return. What a
 * call returned may be added again: its dates become the time of the addition, a kSecValuePersistentRef is set aside.
 * `result` may be NULL; it is set to NULL first, and receives an object of the caller's where the kSecReturn keys ask
 * for one.
 *
 * Returns errSecDuplicateItem when an item with the same unique attributes exists, errSecParam, errSecNoSuchAttr,
 * errSecNoSuchClass, errSecMissingEntitlement, errSecDataTooLarge and others.
 */
CF_EXPORT OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef *result);

/*
 * Finds items and returns what the kSecReturn keys of the query ask for.
 *
 * `query` has the class and the attributes that an item must have, and kSecMatchLimit: one unless said, 0 finds nothing,
 * a negative number is no limit. References that a call returned narrow the search: one under kSecValueRef, arrays of
 * them or of persistent references under kSecMatchItemList and kSecUseItemList, of at most 16384. Items of a list that
 * are gone are passed over.
 *
 * `result` receives one object of the caller's, or an array where the limit is above one; NULL where nothing is asked
 * for, or the data of an item without any; it is left as it is when nothing is found. Where `result` is NULL itself, the
 * call says whether there is an item.
 *
 * Returns errSecItemNotFound, errSecParam, errSecNoSuchAttr, errSecNoSuchClass, errSecMissingEntitlement,
 * errSecInteractionNotAllowed and others.
 */
CF_EXPORT OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef *result);

/*
 * Changes every item that the query describes, all of them or none.
 *
 * Return keys and a limit in the query are set aside. `attributesToUpdate` has new values of attributes, and of the
 * secret under kSecValueData; kSecClass may be there if it is the query's, any other key is errSecNoSuchAttr.
 *
 * Returns errSecItemNotFound, errSecDuplicateItem, errSecParam, errSecNoSuchAttr and others.
 */
CF_EXPORT OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);

/*
 * Deletes every item that the query describes. Return keys and a limit are set aside.
 *
 * Returns errSecItemNotFound, errSecParam, errSecNoSuchAttr and others.
 */
CF_EXPORT OSStatus SecItemDelete(CFDictionaryRef query);

CF_EXTERN_C_END

#endif
