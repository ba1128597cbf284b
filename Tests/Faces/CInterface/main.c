// The suite of the C interface; every part runs against the real daemon, which the first call starts.
//
// An argument limits the run to parts whose name contains it.
#include <stdio.h>
#include <string.h>

#include "check.h"

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"constants", test_constants},
    {"random", test_random},
    {"passwords", test_passwords},
    {"messages", test_messages},
    {"foundation", test_foundation},
    {"type-identifiers", test_type_identifiers},
    {"shapes", test_shapes},
    {"references", test_references},
    {"changes", test_changes},
    {"errors", test_errors},
    {"values", test_values},
    {"internet-passwords", test_internet_passwords},
    {"access-control", test_access_control},
    {"access-control-flags", test_access_control_flags},
    {"access-control-items", test_access_control_items},
    {"private-keys", test_key_items},
    {"detached-keys", test_detached_keys},
    {"task", test_task},
    {"keys", test_keys},
    {"blocks", test_blocks},
    {"symmetric-keys", test_symmetric_keys},
    {"access-objects", test_access},
    {"strange-access-objects", test_strange_access},
    {"file-keychains", test_keychains},
    {"callbacks", test_callbacks},
    {"callback-changes", test_callback_changes},
    {"keychain-entries", test_keychain_items},
    {"keys-in-keychains", test_keychain_keys},
    {"arguments-of-keys", test_key_arguments},
    {"certificates", test_certificates},
    {"identities", test_identities},
    {"pkcs12", test_pkcs12},
    {"files-of-keys", test_files},
    {"policies", test_policies},
    {"evaluations", test_trust},
    {"trusted-searches", test_trusted_searches},
    {"settings-of-trust", test_trust_settings},
    {"strange-dictionaries", test_strange_dictionaries},
    {"nested-dictionaries", test_nested_dictionaries},
    {"roomy-dictionaries", test_roomy_dictionaries},
    {"torn-dictionaries", test_torn_dictionaries},
    {"strange-pointers", test_strange_pointers},
    {"changing-dictionaries", test_changing_dictionaries},
    {"threads", test_threads},
    {"fork", test_fork},
};

int main(int count, char **arguments) {
    for (size_t index = 0; index < sizeof parts / sizeof parts[0]; index++) {
        if (count > 1 && !strstr(parts[index].name, arguments[1])) continue;
        int before = failures();
        parts[index].run();
        printf("%s: %s\n", parts[index].name, failures() == before ? "passed" : "FAILED");
        fflush(stdout);
    }
    return failures() > 0;
}
