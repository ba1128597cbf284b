#include "chatelaine_password_strength.h"

#include <string.h>
#include <zxcvbn.h>

#ifdef USE_DICT_FILE
#error "this libzxcvbn reads its words from a file, which anybody might have put there; take Debian's"
#endif

/* More than the deepest of the library's calls has on the stack. */
enum { STACK_BYTES = 16 * 1024 };

/*
 * Reaches down to where the library's calls had their variables, words in small letters among them. What it gives back to the heap are
 * places, lengths and kinds of what it found, and no characters (tried with 2.5: its memory was searched for pieces of the password).
 */
static __attribute__((noinline)) void wipe_stack(void) {
    char below[STACK_BYTES];
    explicit_bzero(below, sizeof below);
}

double chatelaine_password_bits(const void *password, size_t size) {
    char text[CHATELAINE_ESTIMATED_BYTES + 1];
    if (size > CHATELAINE_ESTIMATED_BYTES) size = CHATELAINE_ESTIMATED_BYTES;
    for (size_t index = 0; index < size; index++) {
        char byte = ((const char *)password)[index];
        /* A zero would end the text. */
        text[index] = byte ? byte : 1;
    }
    text[size] = 0;
    double bits = ZxcvbnMatch(text, NULL, NULL);
    explicit_bzero(text, sizeof text);
    wipe_stack();
    return bits;
}
