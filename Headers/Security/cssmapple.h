/* Apple's additions to CSSM, as far as access objects need them. */
#ifndef CHATELAINE_CSSMAPPLE_H
#define CHATELAINE_CSSMAPPLE_H

#include <Security/cssmappleConstants.h>
#include <Security/cssmtype.h>

/* The conditions for a prompt; flags are CSSM_ACL_KEYCHAIN_PROMPT constants. */
typedef struct cssm_acl_keychain_prompt_selector {
    uint16 version;
    uint16 flags;
} CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR;

/* The user and group whose processes an entry allows: the data of a subject CSSM_ACL_SUBJECT_TYPE_PROCESS. */
typedef struct cssm_acl_process_subject_selector {
    uint16 version;
    uint16 mask;
    uint32 uid;
    uint32 gid;
} CSSM_ACL_PROCESS_SUBJECT_SELECTOR;

enum {
    CSSM_ACL_MATCH_UID = 1,
    CSSM_ACL_MATCH_GID = 2,
    CSSM_ACL_MATCH_HONOR_ROOT = 0x100,
    CSSM_ACL_MATCH_BITS = CSSM_ACL_MATCH_UID | CSSM_ACL_MATCH_GID,
    CSSM_ACL_PROCESS_SELECTOR_CURRENT_VERSION = 0x101
};

/* Names of the entries that hold a partition list and a digest. */
#define CSSM_APPLE_ACL_TAG_PARTITION_ID "___PARTITION___"
#define CSSM_APPLE_ACL_TAG_INTEGRITY "___INTEGRITY___"

#endif
