// Takes values out of objects.
#ifndef CHATELAINE_VALUE_TAKING_H
#define CHATELAINE_VALUE_TAKING_H

#include "chatelaine_value.h"
#include "objects.h"

/// The outcome of reading an object.
enum chatelaine_taking { CHATELAINE_TAKEN, CHATELAINE_NO_OBJECT, CHATELAINE_NO_MEMORY };

/// Copies the content of an object, including an array's objects. Boxes and Swift objects are not retained yet.
enum chatelaine_taking chatelaine_value_take(
    const void *object, struct chatelaine_value *value, struct chatelaine_pages *pages);

/// Returns whether an array has changed since its objects were taken.
bool chatelaine_value_has_changed(const struct chatelaine_value *value);

/// Retain and release boxes and Swift objects.
void chatelaine_value_retain(const struct chatelaine_value *value);
void chatelaine_value_release(const struct chatelaine_value *value);

/// Wipes and frees the copy.
void chatelaine_value_free(struct chatelaine_value *value);

#endif
