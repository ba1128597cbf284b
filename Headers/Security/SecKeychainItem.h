/* References to the items of a keychain. */
#ifndef CHATELAINE_SECKEYCHAINITEM_H
#define CHATELAINE_SECKEYCHAINITEM_H

#include <Security/SecBase.h>
#include <Security/SecKeychainItemConstants.h>

CF_EXTERN_C_BEGIN

/* The signature of an AppleShare server, and the digest of a public key. */
typedef UInt8 SecAFPServerSignature[16];
typedef UInt8 SecPublicKeyHash[20];

/*
 * The type of a SecKeychainItemRef, as CFGetTypeID returns it. Results have one where kSecReturnRef asks for a
 * password.
 */
CF_EXPORT CFTypeID SecKeychainItemGetTypeID(void);

/*
 * The calls below take items of file keychains. They return errSecInvalidItemRef for an item that no longer exists, and
 * for an item of the data protection keychain.
 *
 * Attributes are bytes: text in UTF-8, numbers as UInt32 or SInt32, booleans as SInt32, dates in UTC as
 * "YYYYMMDDhhmmssZ" with a zero byte at the end.
 */

/* Deletes an item. A dialog asks a person about an item that the program may not read. */
CF_EXPORT OSStatus SecKeychainItemDelete(SecKeychainItemRef itemRef);
CF_EXPORT OSStatus SecKeychainItemCopyKeychain(SecKeychainItemRef itemRef, SecKeychainRef *keychainRef);

/*
 * Copies the attributes whose tags are in the list, and the data; each pointer may be NULL.
 *
 * An attribute that the item lacks gets no value. An attribute that no item of the class can have is errSecNoSuchAttr.
 * Release the result with SecKeychainItemFreeContent, which wipes it.
 */
CF_EXPORT OSStatus SecKeychainItemCopyContent(
    SecKeychainItemRef itemRef, SecItemClass *itemClass, SecKeychainAttributeList *attrList, UInt32 *length,
    void **outData);
CF_EXPORT OSStatus SecKeychainItemFreeContent(SecKeychainAttributeList *attrList, void *data);

/* Copies the attributes whose tags are in info, into a new list, and the data. */
CF_EXPORT OSStatus SecKeychainItemCopyAttributesAndData(
    SecKeychainItemRef itemRef, SecKeychainAttributeInfo *info, SecItemClass *itemClass,
    SecKeychainAttributeList **attrList, UInt32 *length, void **outData);
CF_EXPORT OSStatus SecKeychainItemFreeAttributesAndData(SecKeychainAttributeList *attrList, void *data);

/* Changes attributes, data, or both; NULL leaves them unchanged. Both calls do the same. */
CF_EXPORT OSStatus SecKeychainItemModifyContent(
    SecKeychainItemRef itemRef, const SecKeychainAttributeList *attrList, UInt32 length, const void *data);
CF_EXPORT OSStatus SecKeychainItemModifyAttributesAndData(
    SecKeychainItemRef itemRef, const SecKeychainAttributeList *attrList, UInt32 length, const void *data);

/*
 * Stores a password with these attributes. A NULL keychain is the default one. Without an access object, the calling
 * program may use the password without a prompt.
 */
CF_EXPORT OSStatus SecKeychainItemCreateFromContent(
    SecItemClass itemClass, SecKeychainAttributeList *attrList, UInt32 length, const void *data,
    SecKeychainRef keychainRef, SecAccessRef initialAccess, SecKeychainItemRef *itemRef);

/* Stores a copy of an item. Without an access object the copy gets that of the item. */
CF_EXPORT OSStatus SecKeychainItemCreateCopy(
    SecKeychainItemRef itemRef, SecKeychainRef destKeychainRef, SecAccessRef initialAccess,
    SecKeychainItemRef *itemCopy);

/* Copies or sets the access object of an item. Its owner entry says who may set it; usually a person has to confirm. */
CF_EXPORT OSStatus SecKeychainItemCopyAccess(SecKeychainItemRef itemRef, SecAccessRef *access);
CF_EXPORT OSStatus SecKeychainItemSetAccess(SecKeychainItemRef itemRef, SecAccessRef access);

/*
 * Data by which any program of the user finds the item again: in the search list, or at the path where its keychain was
 * last open. errSecItemNotFound where the item is in neither place.
 */
CF_EXPORT OSStatus SecKeychainItemCreatePersistentReference(SecKeychainItemRef itemRef, CFDataRef *persistentItemRef);
CF_EXPORT OSStatus SecKeychainItemCopyFromPersistentReference(
    CFDataRef persistentItemRef, SecKeychainItemRef *itemRef);

CF_EXTERN_C_END

#endif
