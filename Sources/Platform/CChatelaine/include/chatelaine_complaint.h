#ifndef CHATELAINE_COMPLAINT_H
#define CHATELAINE_COMPLAINT_H

#include <stddef.h>

/// Writes a line to standard error in one piece.
///
/// Writes nothing unless descriptor 2 is open for writing and still the file that it was when this code was loaded.
/// Otherwise it is a file or a socket of the program. Sets no errno and raises no signal. A line that is written in
/// part is not completed.
void chatelaine_complain(const char *line, size_t length);

#endif
