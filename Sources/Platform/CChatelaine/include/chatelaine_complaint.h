#ifndef CHATELAINE_COMPLAINT_H
#define CHATELAINE_COMPLAINT_H

#include <stddef.h>

/// Writes a line to standard error in one piece, if that is still what it was when this code was loaded, and open for
/// writing; elsewhere a descriptor 2 is a file or a socket of the program's own.
///
/// Sets no errno and raises no signal, and does not write again what was not taken.
void chatelaine_complain(const char *line, size_t length);

#endif
