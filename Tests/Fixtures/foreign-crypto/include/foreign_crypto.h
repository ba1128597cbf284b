/* Functions of libcrypto's names, as a program has them with another library in it; each says that it was called, and does nothing. */
#ifndef FOREIGN_CRYPTO_H
#define FOREIGN_CRYPTO_H

/* How often one of them was called. */
int foreign_crypto_calls(void);

/* Calls one, so that they are in the program, and seen by whoever looks for them; what it answers. */
int foreign_crypto_try(void);

#endif
