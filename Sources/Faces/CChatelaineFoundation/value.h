// Taking values out of objects.
#ifndef CHATELAINE_VALUE_TAKING_H
#define CHATELAINE_VALUE_TAKING_H

#include "chatelaine_value.h"
#include "objects.h"

/// What became of an object.
enum chatelaine_taking { CHATELAINE_TAKEN, CHATELAINE_NO_OBJECT, CHATELAINE_NO_MEMORY };

/// Copies what an object holds, an array's objects included. Boxes and objects of Swift are not retained yet.
enum chatelaine_taking chatelaine_value_take(
    const void *object, struct chatelaine_value *value, struct chatelaine_pages *pages);

/// Whether an array whose objects were taken has others by now.
bool chatelaine_value_has_changed(const struct chatelaine_value *value);

/// Keeps boxes and objects of Swift, and lets go of them again.
void chatelaine_value_retain(const struct chatelaine_value *value);
void chatelaine_value_release(const struct chatelaine_value *value);

/// Wipes and frees the copy.
void chatelaine_value_free(struct chatelaine_value *value);

#endif
