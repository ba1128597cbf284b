/* References to the items of a keychain. */
#ifndef CHATELAINE_SECKEYCHAINITEM_H
#define CHATELAINE_SECKEYCHAINITEM_H

#include <Security/SecBase.h>
#include <Security/SecKeychainItemConstants.h>

CF_EXTERN_C_BEGIN

/* What an AppleShare server once signed itself with, and the digest of a public key. */
typedef UInt8 SecAFPServerSignature[16];
typedef UInt8 SecPublicKeyHash[20];

/* The type of the objects that results carry for a password where kSecReturnRef asks for one, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecKeychainItemGetTypeID(void);

/*
 * The calls below are about items of file keychains. One that is gone, or in the data protection keychain, is errSecInvalidItemRef.
 *
 * Attributes are bytes: text in UTF-8, numbers as UInt32 or SInt32, truths as SInt32, dates as "YYYYMMDDhhmmssZ" with a zero, in Greenwich.
 */

/* Deletes an item; a person is asked about one that the program may not read. */
CF_EXPORT OSStatus SecKeychainItemDelete(SecKeychainItemRef itemRef);
CF_EXPORT OSStatus SecKeychainItemCopyKeychain(SecKeychainItemRef itemRef, SecKeychainRef *keychainRef);

/*
 * Copies the attributes that the list names by its tags, and the data; NULL for what is not wanted. What the item does not have gets no
 * value; errSecNoSuchAttr for what no item of its class has. What comes of it goes back by SecKeychainItemFreeContent, which wipes it.
 */
CF_EXPORT OSStatus SecKeychainItemCopyContent(
    SecKeychainItemRef itemRef, SecItemClass *itemClass, SecKeychainAttributeList *attrList, UInt32 *length,
    void **outData);
CF_EXPORT OSStatus SecKeychainItemFreeContent(SecKeychainAttributeList *attrList, void *data);

/* The same in a list that is made, by tags of its own. */
CF_EXPORT OSStatus SecKeychainItemCopyAttributesAndData(
    SecKeychainItemRef itemRef, SecKeychainAttributeInfo *info, SecItemClass *itemClass,
    SecKeychainAttributeList **attrList, UInt32 *length, void **outData);
CF_EXPORT OSStatus SecKeychainItemFreeAttributesAndData(SecKeychainAttributeList *attrList, void *data);

/* Changes attributes, data, or both; NULL leaves either as it is. Both calls do the same. */
CF_EXPORT OSStatus SecKeychainItemModifyContent(
    SecKeychainItemRef itemRef, const SecKeychainAttributeList *attrList, UInt32 length, const void *data);
CF_EXPORT OSStatus SecKeychainItemModifyAttributesAndData(
    SecKeychainItemRef itemRef, const SecKeychainAttributeList *attrList, UInt32 length, const void *data);

/* Stores a password of these attributes, in the default keychain where it is NULL, for the calling program where no access object is given. */
CF_EXPORT OSStatus SecKeychainItemCreateFromContent(
    SecItemClass itemClass, SecKeychainAttributeList *attrList, UInt32 length, const void *data,
    SecKeychainRef keychainRef, SecAccessRef initialAccess, SecKeychainItemRef *itemRef);

/* Stores what an item has as another one, with its access object where no other is given. */
CF_EXPORT OSStatus SecKeychainItemCreateCopy(
    SecKeychainItemRef itemRef, SecKeychainRef destKeychainRef, SecAccessRef initialAccess,
    SecKeychainItemRef *itemCopy);

/* Who may use an item. It is changed by whom its owner entry lets in, who is usually a person. */
CF_EXPORT OSStatus SecKeychainItemCopyAccess(SecKeychainItemRef itemRef, SecAccessRef *access);
CF_EXPORT OSStatus SecKeychainItemSetAccess(SecKeychainItemRef itemRef, SecAccessRef access);

/* Data by which any program of the user finds the item again, in the search list or where its keychain was last open; errSecItemNotFound. */
CF_EXPORT OSStatus SecKeychainItemCreatePersistentReference(SecKeychainItemRef itemRef, CFDataRef *persistentItemRef);
CF_EXPORT OSStatus SecKeychainItemCopyFromPersistentReference(
    CFDataRef persistentItemRef, SecKeychainItemRef *itemRef);

CF_EXTERN_C_END

#endif
