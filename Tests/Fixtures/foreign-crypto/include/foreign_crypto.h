/* Functions with libcrypto's names, as in a program with another cryptographic library. Each only counts its calls. */
#ifndef FOREIGN_CRYPTO_H
#define FOREIGN_CRYPTO_H

/* The number of calls of all these functions. */
int foreign_crypto_calls(void);

/* Calls one of the functions and returns its result, so that the linker keeps and exports them. */
int foreign_crypto_try(void);

#endif
