#include "tables.h"

#include <CoreFoundation/CoreFoundation.h>
#include <stdlib.h>
#include <string.h>

// The layout of CoreFoundation's dictionaries (CFBasicHash.c of the toolchain).
enum {
    /// A word with the number of changes, the flags, and the number of pairs.
    COUNTERS = 0x18,
    FLAGS = 0x1a,
    /// The index in `sizes`.
    SIZE = 0x22,
    /// The pointer to the table of values, then that to the table of keys.
    TABLES = 0x30,
    TABLES_END = 0x40,
    /// Linear search, and a table of keys right after the table of values.
    DICTIONARY_FLAGS = 0x0005,
};

/// The table sizes that CoreFoundation chooses from. It shrinks the tables of a dictionary that loses most of its
/// pairs: larger tables do not belong to a few pairs.
static const uint32_t sizes[] = {
    0,   3,    7,    13,   23,   41,   71,    127,   191,   251,   383,    631,
    1087, 1723, 2803, 4523, 7351, 11959, 19447, 31231, 50683, 81919, 132607, 214519,
};

bool chatelaine_has_tables(const struct chatelaine_head *head) {
    uint16_t flags;
    memcpy(&flags, head->bytes + FLAGS, sizeof flags);
    return flags == DICTIONARY_FLAGS;
}

bool chatelaine_is_same_state(const struct chatelaine_head *first, const struct chatelaine_head *second) {
    return memcmp(first->bytes + COUNTERS, second->bytes + COUNTERS, TABLES_END - COUNTERS) == 0;
}

static bool copy_table(uintptr_t *table, void *copy, size_t length, struct chatelaine_pages *pages) {
    if (!chatelaine_read((const void *)*table, copy, length, pages)) return false;
    *table = (uintptr_t)copy;
    return true;
}

// CoreFoundation reads copies of head and tables: another thread may free the originals meanwhile. A head that was
// copied in the middle of a change may promise longer tables than there are.
int chatelaine_pointers_take(
    const struct chatelaine_head *head, struct chatelaine_pointers *pointers, struct chatelaine_pages *pages) {
    struct chatelaine_head copy = *head;
    uintptr_t tables[2];
    size_t size = copy.bytes[SIZE];
    memset(pointers, 0, sizeof *pointers);
    if (size >= sizeof sizes / sizeof sizes[0]) return CHATELAINE_PAIRS_TOO_MANY;
    size_t length = sizes[size] * sizeof(void *);
    char *memory = malloc(2 * length + 1);
    if (!memory) return CHATELAINE_PAIRS_NO_MEMORY;
    memcpy(tables, copy.bytes + TABLES, sizeof tables);
    bool readable =
        copy_table(&tables[0], memory, length, pages) && copy_table(&tables[1], memory + length, length, pages);
    memcpy(copy.bytes + TABLES, tables, sizeof tables);
    if (readable) {
        CFDictionaryGetKeysAndValues((CFDictionaryRef)(const void *)copy.bytes, pointers->keys, pointers->values);
    }
    free(memory);
    return readable ? CHATELAINE_PAIRS_TAKEN : CHATELAINE_PAIRS_CHANGING;
}
