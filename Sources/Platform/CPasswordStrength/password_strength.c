#include "chatelaine_password_strength.h"

#include <string.h>
#include <zxcvbn.h>

#ifdef USE_DICT_FILE
#error "this libzxcvbn reads its words from a file, which anybody might have put there; take Debian's"
#endif

/* More stack than the library's deepest call uses. */
enum { STACK_BYTES = 16 * 1024 };

/*
 * Wipes the stack of the library's calls, where words in small letters were. The heap blocks that the library frees
 * hold places, lengths and kinds of what it found, and no characters (tested with 2.5 by searching its memory for
 * pieces of the password).
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
        /* A zero byte would end the text. */
        text[index] = byte ? byte : 1;
    }
    text[size] = 0;
    double bits = ZxcvbnMatch(text, NULL, NULL);
    explicit_bzero(text, sizeof text);
    wipe_stack();
    return bits;
}
