/* The CSSM types that once described access objects. */
#ifndef CHATELAINE_CSSMTYPE_H
#define CHATELAINE_CSSMTYPE_H

#include <Security/SecAsn1Types.h>
#include <Security/cssmconfig.h>
#include <Security/cssmtypeConstants.h>

typedef sint32 CSSM_BOOL;
typedef intptr_t CSSM_INTPTR;
typedef CSSM_INTPTR CSSM_HANDLE;
typedef CSSM_HANDLE CSSM_ACL_HANDLE;
typedef char CSSM_STRING[68];

typedef sint32 CSSM_ACL_AUTHORIZATION_TAG;
typedef sint32 CSSM_WORDID_TYPE;
typedef uint32 CSSM_KEYUSE;
typedef uint32 CSSM_KEYATTR_FLAGS;
typedef uint32 CSSM_LIST_TYPE, *CSSM_LIST_TYPE_PTR;
typedef uint32 CSSM_LIST_ELEMENT_TYPE, *CSSM_LIST_ELEMENT_TYPE_PTR;
typedef struct cssm_list_element *CSSM_LIST_ELEMENT_PTR;

/* A linked list of elements. */
typedef struct cssm_list {
    CSSM_LIST_TYPE ListType;
    CSSM_LIST_ELEMENT_PTR Head;
    CSSM_LIST_ELEMENT_PTR Tail;
} CSSM_LIST;

/* An element of a list: a word, bytes, or a list, as ElementType says. */
typedef struct cssm_list_element {
    struct cssm_list_element *NextElement;
    CSSM_WORDID_TYPE WordID;
    CSSM_LIST_ELEMENT_TYPE ElementType;
    union {
        CSSM_LIST Sublist;
        SecAsn1Item Word;
    } Element;
} CSSM_LIST_ELEMENT;

/* The rights of an entry. */
typedef struct cssm_authorizationgroup {
    uint32 NumberOfAuthTags;
    CSSM_ACL_AUTHORIZATION_TAG *AuthTags;
} CSSM_AUTHORIZATIONGROUP;

/* The validity period of an entry; ignored. */
typedef struct cssm_acl_validity_period {
    SecAsn1Item StartDate;
    SecAsn1Item EndDate;
} CSSM_ACL_VALIDITY_PERIOD;

typedef struct cssm_acl_entry_prototype {
    CSSM_LIST TypedSubject;
    CSSM_BOOL Delegate;
    CSSM_AUTHORIZATIONGROUP Authorization;
    CSSM_ACL_VALIDITY_PERIOD TimeRange;
    CSSM_STRING EntryTag;
} CSSM_ACL_ENTRY_PROTOTYPE;

typedef struct cssm_acl_owner_prototype {
    CSSM_LIST TypedSubject;
    CSSM_BOOL Delegate;
} CSSM_ACL_OWNER_PROTOTYPE;

typedef struct cssm_acl_entry_info {
    CSSM_ACL_ENTRY_PROTOTYPE EntryPublicInfo;
    CSSM_ACL_HANDLE EntryHandle;
} CSSM_ACL_ENTRY_INFO;

#endif
