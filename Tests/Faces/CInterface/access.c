// Tests of access objects, their entries, and the programs that they list.
#include "check.h"

#include <string.h>

/// The calling program, as an entry lists it.
static SecTrustedApplicationRef self(void) {
    SecTrustedApplicationRef application = NULL;
    CHECK_STATUS(SecTrustedApplicationCreateFromPath(NULL, &application), errSecSuccess);
    return application;
}

static void test_applications(void) {
    SecTrustedApplicationRef own = self(), other = NULL;
    CHECK(own && CFGetTypeID(own) == SecTrustedApplicationGetTypeID());
    CHECK_STATUS(SecTrustedApplicationCreateFromPath("/usr/bin/env", &other), errSecSuccess);
    CHECK(other && !CFEqual(own, other));
    SecTrustedApplicationRef missing = NULL;
    CHECK_STATUS(SecTrustedApplicationCreateFromPath("/nowhere/at/all", &missing), 100000 + 2);
    CHECK(!missing);
    CHECK_STATUS(SecTrustedApplicationCreateFromPath("", &missing), errSecParam);
    CHECK_STATUS(SecTrustedApplicationCreateFromPath("/usr/bin/env", NULL), errSecParam);
    CFDataRef form = NULL;
    CHECK_STATUS(SecTrustedApplicationCopyData(own, &form), errSecSuccess);
    CHECK_STATUS(SecTrustedApplicationSetData(other, form), errSecSuccess);
    CHECK(CFEqual(own, other) && CFHash(own) == CFHash(other));
    CFDataRef nonsense = data("nonsense");
    CHECK_STATUS(SecTrustedApplicationSetData(other, nonsense), errSecParam);
    CHECK_STATUS(SecTrustedApplicationSetData(other, (CFDataRef)CFSTR("x")), errSecParam);
    CFRelease(nonsense);
    CFRelease(form);
    CFRelease(other);
    CFRelease(own);
}

/// The only entry for a right; the caller releases it.
static SecACLRef entry(SecAccessRef access, CFStringRef right) {
    CFArrayRef list = SecAccessCopyMatchingACLList(access, right);
    CHECK(list && CFArrayGetCount(list) == 1);
    SecACLRef acl = (SecACLRef)CFRetain(CFArrayGetValueAtIndex(list, 0));
    CFRelease(list);
    return acl;
}

/// The number of applications that an entry lists, or -1 if it admits every program.
static long listed(SecACLRef acl, const char *expected) {
    CFArrayRef applications = NULL;
    CFStringRef description = NULL;
    SecKeychainPromptSelector selector = 77;
    CHECK_STATUS(SecACLCopyContents(acl, &applications, &description, &selector), errSecSuccess);
    CHECK(is_text(description, expected) && selector == 0);
    long count = applications ? CFArrayGetCount(applications) : -1;
    if (count > 0)
        CHECK(CFGetTypeID(CFArrayGetValueAtIndex(applications, 0)) == SecTrustedApplicationGetTypeID());
    if (applications) CFRelease(applications);
    CFRelease(description);
    return count;
}

static void test_default(void) {
    SecAccessRef access = NULL;
    CHECK_STATUS(SecAccessCreate(CFSTR("mail"), NULL, &access), errSecSuccess);
    CHECK(access && CFGetTypeID(access) == SecAccessGetTypeID());
    CFArrayRef list = NULL;
    CHECK_STATUS(SecAccessCopyACLList(access, &list), errSecSuccess);
    CHECK(list && CFArrayGetCount(list) == 3);
    CHECK(CFGetTypeID(CFArrayGetValueAtIndex(list, 0)) == SecACLGetTypeID());
    SecACLRef owner = entry(access, kSecACLAuthorizationChangeACL), free = entry(access, kSecACLAuthorizationEncrypt);
    SecACLRef limited = entry(access, kSecACLAuthorizationDecrypt);
    CHECK(CFArrayContainsValue(list, CFRangeMake(0, 3), owner));
    CHECK(listed(owner, "mail") == 0 && listed(free, "") == -1 && listed(limited, "mail") == 1);
    CFArrayRef rights = SecACLCopyAuthorizations(limited);
    CHECK(CFArrayGetCount(rights) == 6 && CFArrayContainsValue(rights, CFRangeMake(0, 6), kSecACLAuthorizationSign));
    CFRelease(rights);
    CHECK(!SecAccessCopyMatchingACLList(access, kSecACLAuthorizationLogin));
    CFRelease(limited);
    CFRelease(free);
    CFRelease(owner);
    CFRelease(list);
    CFRelease(access);
}

static void test_changes_of_entries(void) {
    SecAccessRef access = NULL;
    CFArrayRef nobody = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    CHECK_STATUS(SecAccessCreate(CFSTR("mail"), nobody, &access), errSecSuccess);
    SecACLRef limited = entry(access, kSecACLAuthorizationDecrypt), added = NULL;
    CHECK(listed(limited, "mail") == 0);
    SecTrustedApplicationRef own = self();
    const void *values[] = {own, own};
    CFArrayRef two = CFArrayCreate(NULL, values, 2, &kCFTypeArrayCallBacks);
    CHECK_STATUS(SecACLSetContents(limited, two, CFSTR("two"), 0), errSecSuccess);
    CHECK(listed(limited, "two") == 2);
    CHECK_STATUS(SecACLCreateWithSimpleContents(access, NULL, CFSTR("all"), kSecKeychainPromptUnsigned, &added), errSecSuccess);
    CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR selector = {0, 0};
    CFArrayRef list = two;
    CFStringRef description = NULL;
    CHECK_STATUS(SecACLCopySimpleContents(added, &list, &description, &selector), errSecSuccess);
    CHECK(!list && is_text(description, "all") && selector.flags == CSSM_ACL_KEYCHAIN_PROMPT_UNSIGNED);
    CHECK(selector.version == CSSM_ACL_KEYCHAIN_PROMPT_CURRENT_VERSION);
    CFRelease(description);
    CSSM_ACL_AUTHORIZATION_TAG tags[8] = {CSSM_ACL_AUTHORIZATION_SIGN, 4711};
    CHECK_STATUS(SecACLSetAuthorizations(added, tags, 2), errSecSuccess);
    uint32 count = 1;
    CHECK_STATUS(SecACLGetAuthorizations(added, tags, &count), errSecParam);
    CHECK(count == 2);
    CHECK_STATUS(SecACLGetAuthorizations(added, tags, &count), errSecSuccess);
    CHECK(tags[0] == CSSM_ACL_AUTHORIZATION_SIGN && tags[1] == 4711);
    CFStringRef mac[] = {kSecACLAuthorizationMAC};
    CFArrayRef rights = CFArrayCreate(NULL, (const void **)mac, 1, &kCFTypeArrayCallBacks);
    CHECK_STATUS(SecACLUpdateAuthorizations(added, rights), errSecSuccess);
    CFArrayRef now = SecACLCopyAuthorizations(added);
    CHECK(CFEqual(now, rights));
    CHECK_STATUS(SecACLRemove(added), errSecSuccess);
    CHECK_STATUS(SecACLRemove(added), errSecParam);
    SecACLRef owner = entry(access, kSecACLAuthorizationChangeACL);
    CHECK_STATUS(SecACLRemove(owner), errSecInvalidOwnerEdit);
    // An entry keeps its access object.
    CFRelease(access);
    CHECK(listed(limited, "two") == 2);
    CFRelease(owner);
    CFRelease(now);
    CFRelease(rights);
    CFRelease(two);
    CFRelease(own);
    CFRelease(added);
    CFRelease(limited);
    CFRelease(nobody);
}

/// The prompt subject for all programs, as programs of CSSM's time wrote it.
static void test_owner_and_entries(void) {
    CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR selector = {CSSM_ACL_KEYCHAIN_PROMPT_CURRENT_VERSION, 0};
    struct cssm_list_element text, flags, prompt, any, second, first, n, k, threshold;
    memset(&text, 0, sizeof text);
    flags = prompt = any = second = first = n = k = threshold = text;
    text.ElementType = flags.ElementType = CSSM_LIST_ELEMENT_DATUM;
    text.Element.Word.Data = (uint8_t *)"mail";
    text.Element.Word.Length = 4;
    flags.Element.Word.Data = (uint8_t *)&selector;
    flags.Element.Word.Length = sizeof selector;
    flags.NextElement = &text;
    prompt.ElementType = any.ElementType = n.ElementType = k.ElementType = threshold.ElementType = CSSM_LIST_ELEMENT_WORDID;
    prompt.WordID = CSSM_WORDID_KEYCHAIN_PROMPT;
    prompt.NextElement = &flags;
    any.WordID = CSSM_ACL_SUBJECT_TYPE_ANY;
    first.ElementType = second.ElementType = CSSM_LIST_ELEMENT_SUBLIST;
    first.Element.Sublist.Head = first.Element.Sublist.Tail = &any;
    second.Element.Sublist.Head = &prompt;
    second.Element.Sublist.Tail = &text;
    threshold.WordID = CSSM_ACL_SUBJECT_TYPE_THRESHOLD;
    threshold.NextElement = &k;
    k.WordID = 1;
    k.NextElement = &n;
    n.WordID = 2;
    n.NextElement = &first;
    first.NextElement = &second;

    CSSM_ACL_OWNER_PROTOTYPE owner = {{CSSM_LIST_TYPE_SEXPR, &prompt, &text}, 0};
    CSSM_ACL_AUTHORIZATION_TAG tag = CSSM_ACL_AUTHORIZATION_DECRYPT;
    CSSM_ACL_ENTRY_INFO info;
    memset(&info, 0, sizeof info);
    info.EntryPublicInfo.TypedSubject.Head = &threshold;
    info.EntryPublicInfo.TypedSubject.Tail = &second;
    info.EntryPublicInfo.Authorization.NumberOfAuthTags = 1;
    info.EntryPublicInfo.Authorization.AuthTags = &tag;
    SecAccessRef access = NULL;
    CHECK_STATUS(SecAccessCreateFromOwnerAndACL(&owner, 1, &info, &access), errSecSuccess);
    SecACLRef acl = entry(access, kSecACLAuthorizationDecrypt);
    CHECK(listed(acl, "mail") == -1);
    CFRelease(acl);
    acl = entry(access, kSecACLAuthorizationChangeACL);
    CHECK(listed(acl, "mail") == 0);
    CFRelease(acl);
    CFRelease(access);
    access = NULL;
    CHECK_STATUS(SecAccessCreateFromOwnerAndACL(NULL, 1, &info, &access), errSecParam);
    CHECK_STATUS(SecAccessCreateFromOwnerAndACL(&owner, 1, NULL, &access), errSecParam);
    text.Element.Word.Data = NULL;
    CHECK_STATUS(SecAccessCreateFromOwnerAndACL(&owner, 1, &info, &access), errSecParam);
    CHECK(!access);
}

static void test_processes(void) {
    CFErrorRef error = NULL;
    CHECK(!SecAccessCreateWithOwnerAndACL(501, 20, 0, NULL, &error) && error && CFErrorGetCode(error) == errSecParam);
    CFRelease(error);
    CHECK(!SecAccessCreateWithOwnerAndACL(501, 20, kSecHonorRoot, NULL, NULL));
    SecAccessRef access = SecAccessCreateWithOwnerAndACL(501, 20, kSecUseOnlyUID | kSecHonorRoot, NULL, NULL);
    CHECK(access && CFGetTypeID(access) == SecAccessGetTypeID());
    uid_t user = 0;
    gid_t group = 0;
    SecAccessOwnerType type = 0;
    CFArrayRef list = NULL;
    CHECK_STATUS(SecAccessCopyOwnerAndACL(access, &user, &group, &type, &list), errSecSuccess);
    CHECK(user == 501 && group == 20 && type == (kSecUseOnlyUID | kSecHonorRoot) && CFArrayGetCount(list) == 1);
    CFStringRef decrypt[] = {kSecACLAuthorizationDecrypt};
    CFArrayRef rights = CFArrayCreate(NULL, (const void **)decrypt, 1, &kCFTypeArrayCallBacks);
    CHECK_STATUS(SecACLUpdateAuthorizations((SecACLRef)CFArrayGetValueAtIndex(list, 0), rights), errSecSuccess);
    CFRelease(access);
    // The call accepts a list of rights and a list of entries.
    for (int round = 0; round < 2; round++) {
        access = SecAccessCreateWithOwnerAndACL(501, 20, kSecMatchBits, round ? list : rights, NULL);
        SecACLRef acl = entry(access, kSecACLAuthorizationDecrypt);
        CFArrayRef given = SecACLCopyAuthorizations(acl);
        CHECK(CFEqual(given, rights));
        CFRelease(given);
        CFRelease(acl);
        CFRelease(access);
    }
    CFRelease(rights);
    CFRelease(list);

    CSSM_ACL_PROCESS_SUBJECT_SELECTOR selector = {CSSM_ACL_PROCESS_SELECTOR_CURRENT_VERSION, CSSM_ACL_MATCH_UID, 501, 0};
    CSSM_LIST_ELEMENT data = {.ElementType = CSSM_LIST_ELEMENT_DATUM};
    data.Element.Word.Data = (uint8_t *)&selector;
    data.Element.Word.Length = sizeof selector;
    CSSM_LIST_ELEMENT word = {
        .NextElement = &data, .WordID = CSSM_ACL_SUBJECT_TYPE_PROCESS, .ElementType = CSSM_LIST_ELEMENT_WORDID};
    CSSM_ACL_OWNER_PROTOTYPE owner = {{CSSM_LIST_TYPE_UNKNOWN, &word, &data}, 0};
    access = NULL;
    CHECK_STATUS(SecAccessCreateFromOwnerAndACL(&owner, 0, NULL, &access), errSecSuccess);
    CHECK_STATUS(SecAccessCopyOwnerAndACL(access, &user, NULL, &type, NULL), errSecSuccess);
    CHECK(user == 501 && type == kSecUseOnlyUID);
    CHECK(!strcmp(CSSM_APPLE_ACL_TAG_PARTITION_ID, "___PARTITION___"));
    CFRelease(access);
}

void test_access(void) {
    test_processes();
    test_applications();
    test_default();
    test_changes_of_entries();
    test_owner_and_entries();
}

/// The calls get null pointers and objects of other types.
void test_strange_access(void) {
    SecAccessRef access = NULL;
    CFArrayRef list = NULL;
    CFStringRef text = NULL;
    SecKeychainPromptSelector selector = 0;
    uint32 count = 0;
    const void *wrong[] = {NULL, CFSTR("x"), kCFNull, (const void *)8, (const void *)&count};
    for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        SecACLRef acl = (SecACLRef)wrong[index];
        CHECK_STATUS(SecAccessCopyACLList((SecAccessRef)wrong[index], &list), errSecParam);
        CHECK_STATUS(SecAccessCopyOwnerAndACL((SecAccessRef)wrong[index], NULL, NULL, NULL, &list), errSecParam);
        if (index > 0) CHECK(!SecAccessCreateWithOwnerAndACL(0, 0, kSecUseOnlyUID, (CFArrayRef)wrong[index], NULL));
        CHECK(!SecAccessCopyMatchingACLList((SecAccessRef)wrong[index], kSecACLAuthorizationAny));
        CHECK_STATUS(SecACLCopyContents(acl, &list, &text, &selector), errSecParam);
        CHECK_STATUS(SecACLSetContents(acl, NULL, CFSTR("x"), 0), errSecParam);
        CHECK_STATUS(SecACLRemove(acl), errSecParam);
        CHECK_STATUS(SecACLGetAuthorizations(acl, NULL, &count), errSecParam);
        CHECK(!SecACLCopyAuthorizations(acl));
        CHECK_STATUS(SecTrustedApplicationCopyData((SecTrustedApplicationRef)wrong[index], (CFDataRef *)&list), errSecParam);
        CFArrayRef array = CFArrayCreate(NULL, &wrong[index], 1, NULL);
        CHECK_STATUS(SecAccessCreate(CFSTR("x"), array, &access), errSecParam);
        CFRelease(array);
        if (index > 0) CHECK_STATUS(SecAccessCreate(CFSTR("x"), (CFArrayRef)wrong[index], &access), errSecParam);
        if (index != 1) CHECK_STATUS(SecAccessCreate((CFStringRef)wrong[index], NULL, &access), errSecParam);
    }
    CHECK(!access && !list && !text);
    CFArrayRef nobody = CFArrayCreate(NULL, NULL, 0, NULL);
    CHECK_STATUS(SecAccessCreate(CFSTR("x"), nobody, NULL), errSecParam);
    CHECK_STATUS(SecAccessCreate(CFSTR("x"), nobody, &access), errSecSuccess);
    SecACLRef acl = entry(access, kSecACLAuthorizationEncrypt);
    CHECK_STATUS(SecACLCopyContents(acl, NULL, &text, &selector), errSecParam);
    CHECK_STATUS(SecACLCopyContents(acl, &list, NULL, &selector), errSecParam);
    CHECK_STATUS(SecACLCopyContents(acl, &list, &text, NULL), errSecParam);
    CHECK_STATUS(SecACLSetSimpleContents(acl, NULL, CFSTR("x"), NULL), errSecParam);
    CHECK_STATUS(SecACLSetAuthorizations(acl, NULL, 1), errSecParam);
    CHECK_STATUS(SecACLGetAuthorizations(acl, NULL, NULL), errSecParam);
    CFRelease(acl);
    CFRelease(access);
    CFRelease(nobody);
}
