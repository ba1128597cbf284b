// Defines a constant of the C interface: a string object in writable memory, and a pointer to it under Apple's name.
// All string objects are in one section, so that a pointer to one is recognized by its address.
#ifndef CHATELAINE_CONSTANTS_H
#define CHATELAINE_CONSTANTS_H

#include <Security/Security.h>

#define CHATELAINE_CONSTANT(name, literal)                                              \
    static struct chatelaine_constant_string name##Object                               \
        __attribute__((section("chatelaine_constants"), aligned(8), used)) =            \
            CHATELAINE_CONSTANT_STRING(literal);                                        \
    const CFStringRef name = (CFStringRef)(const void *)&name##Object;

#endif
