/* String objects made from literals. */
#ifndef CHATELAINE_CFCONSTANTSTRING_H
#define CHATELAINE_CFCONSTANTSTRING_H

#include <CoreFoundation/CFBase.h>

CF_EXTERN_C_BEGIN

/* The layout of a constant string; only CFSTR uses it. */
struct chatelaine_constant_string {
    const void *type;
    uintptr_t count;
    uint64_t information;
    const char *bytes;
    uint32_t length;
};
extern const char chatelaine_constant_string_class[] __asm__("$s10Foundation19_NSCFConstantStringCN");
/* A reference count that CoreFoundation never changes. */
#define CHATELAINE_CONSTANT_COUNT 0x80000004ffffffff
/* The information 0x07c8 says that the bytes are elsewhere, one for each character, with a zero byte at the end. */
#define CHATELAINE_CONSTANT_STRING(literal) \
    { chatelaine_constant_string_class, CHATELAINE_CONSTANT_COUNT, 0x07c8, literal, sizeof(literal) - 1 }

CF_EXTERN_C_END

/*
 * CFSTR: the string object of a literal. It lives as long as the process, however often the program releases it.
 *
 * With clang and the flags of `pkg-config --variable=constant_strings chatelaine`, the compiler makes the object. It is
 * then a constant, valid outside of functions as well, and the literal may have any character. Without those flags the
 * literal has to be ASCII. In C, CFSTR then works inside functions only; in C++ it works anywhere, and outside of
 * functions the object is made at the start of the program.
 */
#ifdef CHATELAINE_CONSTANT_STRINGS

#define CHATELAINE_MAKE_STRING(literal) __builtin___CFStringMakeConstantString("" literal "")
#define CFSTR(literal) ((CFStringRef)CHATELAINE_MAKE_STRING(literal))

#ifdef __cplusplus
static_assert(
#else
_Static_assert(
#endif
    sizeof(*CHATELAINE_MAKE_STRING("")) == sizeof(struct chatelaine_constant_string),
    "constant strings need -fcf-runtime-abi=swift");

/* The compiler gives its strings a count that CFRelease can bring to zero, which ends the process. */
extern struct chatelaine_constant_string chatelaine_first_string[]
    __asm__("__start_cfstring") __attribute__((weak, visibility("hidden")));
extern struct chatelaine_constant_string chatelaine_last_string[]
    __asm__("__stop_cfstring") __attribute__((weak, visibility("hidden")));
__attribute__((constructor, unused)) static void chatelaine_keep_constant_strings(void) {
    struct chatelaine_constant_string *string;
    for (string = chatelaine_first_string; string < chatelaine_last_string; string++)
        string->count = CHATELAINE_CONSTANT_COUNT;
}

#elif defined(__cplusplus)

#define CFSTR(literal)                                                                                     \
    ([]() -> CFStringRef {                                                                                 \
        static struct chatelaine_constant_string constant = CHATELAINE_CONSTANT_STRING("" literal "");     \
        return static_cast<CFStringRef>(static_cast<const void *>(&constant));                             \
    }())

#else

#define CFSTR(literal)                                                                                     \
    (__extension__({                                                                                       \
        static struct chatelaine_constant_string constant = CHATELAINE_CONSTANT_STRING("" literal "");     \
        (CFStringRef)(const void *)&constant;                                                              \
    }))

#endif

#endif
