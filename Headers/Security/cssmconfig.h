/* Integer types of CSSM. */
#ifndef CHATELAINE_CSSMCONFIG_H
#define CHATELAINE_CSSMCONFIG_H

#include <stdint.h>

typedef int32_t sint32;
typedef uint16_t uint16;
typedef uint32_t uint32;

#endif
