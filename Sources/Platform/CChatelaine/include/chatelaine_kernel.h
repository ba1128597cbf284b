#ifndef CHATELAINE_KERNEL_H
#define CHATELAINE_KERNEL_H

#include <signal.h>

/* A close-on-exec descriptor that becomes readable when a signal of `mask` is pending: signalfd(2). */
int chatelaine_signal_descriptor(const sigset_t *mask);
/* The version of Landlock's interface; -1 where the kernel has none or has it turned off. */
int chatelaine_landlock_version(void);
/* 1 where seccomp filters exist, 0 where they do not. */
int chatelaine_has_seccomp_filters(void);

#endif
