/* How hard a password is to guess for somebody who knows what people take. */
#ifndef CHATELAINE_PASSWORD_STRENGTH_H
#define CHATELAINE_PASSWORD_STRENGTH_H

#include <stddef.h>

/*
 * The bytes that are looked at; what is behind them is taken for nothing. Time grows with the square of the length, and
 * beyond this libzxcvbn itself looks for words and patterns no more. It takes some milliseconds then.
 */
#define CHATELAINE_ESTIMATED_BYTES 100

/* Bits, 0 or more, by libzxcvbn: it knows common passwords, English words, names, dates, rows of keys and repetitions. */
double chatelaine_password_bits(const void *password, size_t size);

#endif
