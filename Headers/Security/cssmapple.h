/* Apple's additions to CSSM, as far as access objects are described by them. */
#ifndef CHATELAINE_CSSMAPPLE_H
#define CHATELAINE_CSSMAPPLE_H

#include <Security/cssmappleConstants.h>
#include <Security/cssmtype.h>

/* When a person is asked: flags are CSSM_ACL_KEYCHAIN_PROMPT constants. */
typedef struct cssm_acl_keychain_prompt_selector {
    uint16 version;
    uint16 flags;
} CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR;

#endif
