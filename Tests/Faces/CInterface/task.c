// Tests of what an unsigned program learns about its own signature. EntitlementTests has signed programs.
#include "check.h"

static void test_object(void) {
    SecTaskRef task = SecTaskCreateFromSelf(NULL);
    CHECK(task && CFGetTypeID(task) == SecTaskGetTypeID() && SecTaskGetTypeID() != 0);
    CFStringRef name = CFCopyTypeIDDescription(SecTaskGetTypeID());
    CHECK(is_text(name, "SecTask"));
    CFRelease(name);
    CFStringRef description = CFCopyDescription(task);
    CHECK(description && CFStringFind(description, CFSTR("SecTask"), 0).location != kCFNotFound);
    CFRelease(description);
    CFRelease(task);
}

/// Whether an error has this code; releases the error.
static bool is_error(CFErrorRef error, OSStatus status) {
    bool holds = error && CFErrorGetCode(error) == status && CFEqual(CFErrorGetDomain(error), kCFErrorDomainOSStatus);
    if (error) CFRelease(error);
    return holds;
}

static void test_unsigned(void) {
    SecTaskRef task = SecTaskCreateFromSelf(NULL);
    CFErrorRef error = NULL;
    const void *names[] = {CFSTR("keychain-access-groups"), CFSTR("x")};
    CFArrayRef list = CFArrayCreate(NULL, names, 2, &kCFTypeArrayCallBacks);
    CHECK(!SecTaskCopyValueForEntitlement(task, CFSTR("keychain-access-groups"), &error) && !error);
    CHECK(!SecTaskCopyValueForEntitlement(task, CFSTR("keychain-access-groups"), NULL));
    CHECK(!SecTaskCopySigningIdentifier(task, &error) && !error);
    CFDictionaryRef values = SecTaskCopyValuesForEntitlements(task, list, &error);
    CHECK(values && CFDictionaryGetCount(values) == 0 && !error);
    CFRelease(values);
    CFRelease(list);
    CFRelease(task);
}

static void test_strangers(void) {
    SecTaskRef task = SecTaskCreateFromSelf(NULL);
    CFErrorRef error = NULL;
    CFNumberRef seven = number(7);
    CHECK(!SecTaskCopyValueForEntitlement(task, (CFStringRef)seven, &error) && is_error(error, errSecParam));
    CHECK(!SecTaskCopyValueForEntitlement(task, NULL, &error) && is_error(error, errSecParam));
    CHECK(!SecTaskCopyValueForEntitlement((SecTaskRef)seven, CFSTR("x"), &error) && is_error(error, errSecParam));
    CHECK(!SecTaskCopyValueForEntitlement(NULL, CFSTR("x"), &error) && is_error(error, errSecParam));
    CHECK(!SecTaskCopySigningIdentifier(NULL, &error) && is_error(error, errSecParam));
    const void *names[] = {CFSTR("x"), seven};
    CFArrayRef list = CFArrayCreate(NULL, names, 2, &kCFTypeArrayCallBacks);
    CHECK(!SecTaskCopyValuesForEntitlements(task, list, &error) && is_error(error, errSecParam));
    CHECK(!SecTaskCopyValuesForEntitlements(task, (CFArrayRef)CFSTR("x"), &error) && is_error(error, errSecParam));
    CHECK(!SecTaskCopyValuesForEntitlements(task, NULL, NULL));
    CFRelease(list);
    CFRelease(seven);
    CFRelease(task);
}

void test_task(void) {
    test_object();
    test_unsigned();
    test_strangers();
}
