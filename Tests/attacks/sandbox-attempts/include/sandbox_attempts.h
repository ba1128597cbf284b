#ifndef SANDBOX_ATTEMPTS_H
#define SANDBOX_ATTEMPTS_H

/* Makes the attempt of that name: what the call answers, -1 and errno where it fails, -2 where no attempt has that name.
   `folder` is the one that the sandbox leaves open, `argument` a path outside of it. */
long attempt(const char *name, const char *folder, const char *argument);

#endif
