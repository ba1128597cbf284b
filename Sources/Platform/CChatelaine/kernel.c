#define _GNU_SOURCE
#include "chatelaine_kernel.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers of the kernel's interface that older C headers lack; landlock_create_ruleset(2), seccomp(2). */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define LANDLOCK_VERSION_FLAG 1u
#define SECCOMP_FILTER_MODE 2

int chatelaine_signal_descriptor(const sigset_t *mask) { return signalfd(-1, mask, SFD_CLOEXEC | SFD_NONBLOCK); }

int chatelaine_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_VERSION_FLAG);
}

int chatelaine_has_seccomp_filters(void) {
    /* Without a program, a kernel that knows filters fails with EFAULT, and any other kernel with EINVAL. */
    return prctl(PR_SET_SECCOMP, SECCOMP_FILTER_MODE, NULL, 0, 0) != 0 && errno == EFAULT;
}
