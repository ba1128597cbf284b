// The part of CoreFoundation that the C interface needs, without its types. The toolchain's module of that name and
// ours in Swift cannot be imported side by side.
//
// Data model: an object is a `const void *`. Callers' objects come in through chatelaine_pairs_take, which does not
// trust its arguments. Results go out through the chatelaine_make functions, each with one reference for the caller.
// A box is an object of a type of our own around a Swift object.
#ifndef CHATELAINE_FOUNDATION_H
#define CHATELAINE_FOUNDATION_H

#include "chatelaine_box.h"
#include "chatelaine_make.h"
#include "chatelaine_pairs.h"
#include "chatelaine_value.h"

#endif
