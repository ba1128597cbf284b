/* Estimates how hard a password is to guess for somebody who knows which passwords people choose. */
#ifndef CHATELAINE_PASSWORD_STRENGTH_H
#define CHATELAINE_PASSWORD_STRENGTH_H

#include <stddef.h>

/*
 * The bytes that are examined; further bytes count nothing. Time grows with the square of the length, and beyond this
 * length libzxcvbn itself no longer looks for words and patterns. An estimate of this length takes some milliseconds.
 */
#define CHATELAINE_ESTIMATED_BYTES 100

/* Bits, 0 or more, by libzxcvbn: it knows common passwords, English words, names, dates, rows of keys and repetitions. */
double chatelaine_password_bits(const void *password, size_t size);

#endif
