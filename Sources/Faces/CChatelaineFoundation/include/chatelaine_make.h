// Makes the objects of results; each has one reference, which the caller releases.
#ifndef CHATELAINE_MAKE_H
#define CHATELAINE_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A string of valid UTF-8.
const void *chatelaine_make_text(const uint8_t *bytes, size_t count);
const void *chatelaine_make_data(const void *bytes, size_t count);
const void *chatelaine_make_number(int64_t number);
const void *chatelaine_make_flag(bool flag);
const void *chatelaine_make_real(double number);
/// Seconds since 1 January 2001, 00:00 UTC.
const void *chatelaine_make_date(double seconds);
/// Takes over the references to keys and values.
const void *chatelaine_make_dictionary(const void **keys, const void **values, size_t count);
/// Takes over the references to the elements.
const void *chatelaine_make_array(const void **elements, size_t count);

/// An error whose code is an OSStatus. Takes over the reference to its description.
const void *chatelaine_make_error(intptr_t status, const void *description);
/// An error with one of an OSStatus beneath it, which has the details for its description. Takes over the references.
/// A domain of NULL is that of an OSStatus.
const void *chatelaine_make_nested_error(
    const void *domain, intptr_t code, const void *description, intptr_t status, const void *details);

void chatelaine_retain(const void *object);
void chatelaine_release(const void *object);

#endif
