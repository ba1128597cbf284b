/* Items of the keychain: add, find, change, delete. */
#ifndef CHATELAINE_SECITEM_H
#define CHATELAINE_SECITEM_H

#include <Security/SecBase.h>
#include <Security/SecItemConstants.h>

CF_EXTERN_C_BEGIN

/*
 * Adds an item. It is on disk when the call returns errSecSuccess; after any other status nothing was added.
 *
 * `attributes` has the class and attributes of the item, its secret under kSecValueData, and the kSecReturn keys. A
 * dictionary that a call returned may be added again: the call ignores its kSecValuePersistentRef, and its dates become
 * the time of the addition. `result` may be NULL. It is set to NULL first; where the kSecReturn keys ask for an object,
 * it receives one, which the caller releases.
 *
 * Returns errSecDuplicateItem when an item with the same unique attributes exists, errSecParam, errSecNoSuchAttr,
 * errSecNoSuchClass, errSecMissingEntitlement, errSecDataTooLarge and others.
 */
CF_EXPORT OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef *result);

/*
 * Finds items and returns what the kSecReturn keys of the query ask for.
 *
 * `query` has the class and the attributes that an item must have, and kSecMatchLimit. The default limit is one; 0
 * finds nothing, and a negative number means no limit. References that a call returned narrow the search: one reference
 * under kSecValueRef, or an array of references or persistent references under kSecMatchItemList or kSecUseItemList. An
 * array has at most 16384 references; the search skips those whose items no longer exist.
 *
 * `result` receives one object, or an array where the limit is above one; the caller releases it. It receives NULL
 * where the query has no kSecReturn key, or asks for the data of an item without data. When nothing is found, `result`
 * is left unchanged. If `result` itself is NULL, the status says whether there is an item.
 *
 * Returns errSecItemNotFound, errSecParam, errSecNoSuchAttr, errSecNoSuchClass, errSecMissingEntitlement,
 * errSecInteractionNotAllowed and others.
 */
CF_EXPORT OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef *result);

/*
 * Changes every item that the query describes, all of them or none.
 *
 * Return keys and a limit in the query are ignored. `attributesToUpdate` has new values of attributes, and the new
 * secret under kSecValueData. It may repeat the kSecClass of the query; any other key is errSecNoSuchAttr.
 *
 * Returns errSecItemNotFound, errSecDuplicateItem, errSecParam, errSecNoSuchAttr and others.
 */
CF_EXPORT OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);

/*
 * Deletes every item that the query describes. Return keys and a limit are ignored.
 *
 * Returns errSecItemNotFound, errSecParam, errSecNoSuchAttr and others.
 */
CF_EXPORT OSStatus SecItemDelete(CFDictionaryRef query);

CF_EXTERN_C_END

#endif
