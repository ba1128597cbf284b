// The look-up of the benchmark as a C program writes it.
#ifndef C_CALLER_H
#define C_CALLER_H

#include <stdbool.h>

/// The query for one password, with one reference for the caller.
const void *c_caller_query(const char *service, const char *account);

/// Looks the password up and lets go of query and result; whether there was one.
bool c_caller_look_up(const void *query);

#endif
