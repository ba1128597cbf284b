// Taking values out of objects.
#ifndef CHATELAINE_VALUE_TAKING_H
#define CHATELAINE_VALUE_TAKING_H

#include "chatelaine_value.h"
#include "objects.h"

/// What became of an object.
enum chatelaine_taking { CHATELAINE_TAKEN, CHATELAINE_NO_OBJECT, CHATELAINE_NO_MEMORY };

/// Copies what an object holds. Boxes and objects of Swift are not retained yet.
enum chatelaine_taking chatelaine_value_take(
    const void *object, struct chatelaine_value *value, struct chatelaine_pages *pages);

/// Wipes and frees the copy.
void chatelaine_value_free(struct chatelaine_value *value);

#endif
