#include "chatelaine_pairs.h"

#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"
#include "value.h"

enum {
    /// The number of reads of a changing dictionary before it is refused.
    ATTEMPTS = 16,
};

struct chatelaine_pairs {
    size_t count;
    /// The number of first pairs whose boxes and Swift objects are retained.
    size_t retained;
    struct chatelaine_pair pairs[];
};

static uintptr_t dictionary_class;

static void learn_class(void) {
    CFDictionaryRef empty = CFDictionaryCreate(NULL, NULL, NULL, 0, NULL, NULL);
    dictionary_class = chatelaine_class_of(empty);
    CFRelease(empty);
}

static bool has_changed(
    const void *dictionary, const struct chatelaine_head *head, const struct chatelaine_pointers *pointers) {
    struct chatelaine_pages pages = {0};
    struct chatelaine_head later;
    struct chatelaine_pointers again;
    return !chatelaine_read_head(dictionary, &later, &pages) || !chatelaine_is_same_state(head, &later) ||
           chatelaine_pointers_take(&later, &again, &pages) != CHATELAINE_PAIRS_TAKEN ||
           memcmp(pointers, &again, sizeof again) != 0;
}

static bool have_lists_changed(const struct chatelaine_pairs *pairs) {
    for (size_t index = 0; index < pairs->count; index++)
        if (chatelaine_value_has_changed(&pairs->pairs[index].value)) return true;
    return false;
}

static int take_values(
    struct chatelaine_pairs *pairs, const struct chatelaine_pointers *pointers, struct chatelaine_pages *pages) {
    int worst = CHATELAINE_TAKEN;
    size_t count = pairs->count;
    for (pairs->count = 0; pairs->count < count && worst == CHATELAINE_TAKEN; pairs->count++) {
        size_t index = pairs->count;
        struct chatelaine_pair *pair = &pairs->pairs[index];
        worst = chatelaine_value_take(pointers->keys[index], &pair->key, pages);
        if (worst == CHATELAINE_TAKEN) worst = chatelaine_value_take(pointers->values[index], &pair->value, pages);
    }
    return worst;
}

static int attempt(
    const void *dictionary, const struct chatelaine_head *head, size_t count, struct chatelaine_pairs *pairs) {
    struct chatelaine_pages pages = {0};
    struct chatelaine_pointers pointers;
    int outcome = chatelaine_pointers_take(head, &pointers, &pages);
    if (outcome != CHATELAINE_PAIRS_TAKEN) return outcome;
    pairs->count = count;
    int taking = take_values(pairs, &pointers, &pages);
    if (has_changed(dictionary, head, &pointers) || have_lists_changed(pairs)) return CHATELAINE_PAIRS_CHANGING;
    if (taking == CHATELAINE_NO_OBJECT) return CHATELAINE_PAIRS_NO_OBJECT;
    if (taking == CHATELAINE_NO_MEMORY) return CHATELAINE_PAIRS_NO_MEMORY;
    for (; pairs->retained < count; pairs->retained++) {
        chatelaine_value_retain(&pairs->pairs[pairs->retained].key);
        chatelaine_value_retain(&pairs->pairs[pairs->retained].value);
    }
    return CHATELAINE_PAIRS_TAKEN;
}

int chatelaine_pairs_take(const void *dictionary, struct chatelaine_pairs **result) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, learn_class);
    *result = NULL;
    int outcome = CHATELAINE_PAIRS_CHANGING;
    for (int round = 0; round < ATTEMPTS && outcome == CHATELAINE_PAIRS_CHANGING; round++) {
        struct chatelaine_pages pages = {0};
        struct chatelaine_head head;
        if (!dictionary || !chatelaine_read_head(dictionary, &head, &pages)) return CHATELAINE_PAIRS_NO_DICTIONARY;
        if (CFGetTypeID(head.bytes) != CFDictionaryGetTypeID()) return CHATELAINE_PAIRS_NO_DICTIONARY;
        if (chatelaine_class_of(head.bytes) != dictionary_class) return CHATELAINE_PAIRS_NATIVE;
        if (!chatelaine_has_tables(&head)) return CHATELAINE_PAIRS_OTHER_TABLES;
        CFIndex count = CFDictionaryGetCount((CFDictionaryRef)(const void *)head.bytes);
        if (count < 0 || count > CHATELAINE_PAIRS_LIMIT) return CHATELAINE_PAIRS_TOO_MANY;
        struct chatelaine_pairs *pairs = calloc(1, sizeof *pairs + (size_t)count * sizeof pairs->pairs[0]);
        if (!pairs) return CHATELAINE_PAIRS_NO_MEMORY;
        outcome = attempt(dictionary, &head, (size_t)count, pairs);
        if (outcome == CHATELAINE_PAIRS_TAKEN || outcome == CHATELAINE_PAIRS_NO_OBJECT) {
            *result = pairs;
        } else {
            chatelaine_pairs_free(pairs);
        }
    }
    return outcome;
}

size_t chatelaine_pairs_count(const struct chatelaine_pairs *pairs) { return pairs->count; }

const struct chatelaine_pair *chatelaine_pairs_at(const struct chatelaine_pairs *pairs, size_t index) {
    return &pairs->pairs[index];
}

void chatelaine_pairs_free(struct chatelaine_pairs *pairs) {
    for (size_t index = 0; index < pairs->count; index++) {
        struct chatelaine_pair *pair = &pairs->pairs[index];
        if (index < pairs->retained) {
            chatelaine_value_release(&pair->key);
            chatelaine_value_release(&pair->value);
        }
        chatelaine_value_free(&pair->key);
        chatelaine_value_free(&pair->value);
    }
    free(pairs);
}
