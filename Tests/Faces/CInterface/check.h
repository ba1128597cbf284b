// The common parts of the tests in C: checks that count failures, and shorter names for CoreFoundation.
#ifndef CHECK_H
#define CHECK_H

#include <Security/Security.h>

/// Prints where a check failed, and continues; the program's exit status reports failures at the end.
void check(bool holds, const char *what, const char *file, int line);
void check_status(OSStatus status, OSStatus expected, const char *what, const char *file, int line);
int failures(void);

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
#define CHECK_STATUS(call, expected) check_status((call), (expected), #call, __FILE__, __LINE__)

/// A dictionary of alternating keys and values, which end with NULL; it retains them.
CFMutableDictionaryRef dictionary(const void *key, ...);
/// A copy of a dictionary with one more pair.
CFMutableDictionaryRef with(CFDictionaryRef base, const void *key, const void *value);
CFStringRef text(const char *utf8);
CFDataRef data(const char *bytes);
CFNumberRef number(SInt64 number);

/// The result of a search, which the caller releases; NULL if there is none.
CFTypeRef found(CFDictionaryRef query);
bool is_data(CFTypeRef object, const char *bytes);
bool is_text(CFTypeRef object, const char *utf8);
bool is_number(CFTypeRef object, SInt64 expected);

/// Makes the call and releases its dictionary.
OSStatus add(CFMutableDictionaryRef attributes);
OSStatus find(CFMutableDictionaryRef query);
OSStatus update(CFMutableDictionaryRef query, CFMutableDictionaryRef changes);
OSStatus erase(CFMutableDictionaryRef query);

// The parts of the suite.
void test_constants(void);
void test_random(void);
void test_passwords(void);
void test_messages(void);
void test_foundation(void);
void test_type_identifiers(void);
void test_shapes(void);
void test_references(void);
void test_changes(void);
void test_errors(void);
void test_values(void);
void test_internet_passwords(void);
void test_access_control(void);
void test_access_control_flags(void);
void test_access_control_items(void);
void test_key_items(void);
void test_detached_keys(void);
void test_task(void);
void test_keys(void);
void test_blocks(void);
void test_symmetric_keys(void);
void test_access(void);
void test_strange_access(void);
void test_keychains(void);
void test_callbacks(void);
void test_callback_changes(void);
void test_keychain_items(void);
void test_keychain_keys(void);
void test_key_arguments(void);
void test_certificates(void);
void test_identities(void);
void test_pkcs12(void);
void test_files(void);
void test_policies(void);
void test_trust(void);
void test_trusted_searches(void);
void test_trust_settings(void);
void test_strange_dictionaries(void);
void test_nested_dictionaries(void);
void test_roomy_dictionaries(void);
void test_torn_dictionaries(void);
void test_strange_pointers(void);
void test_changing_dictionaries(void);
void test_threads(void);
void test_fork(void);

#endif
