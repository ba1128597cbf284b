// For struct iovec in sys/uio.h, and for syscall(2).
#define _GNU_SOURCE

#include "objects.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    /// The smallest page size of our machines; larger pages are checked more often than needed.
    PAGE = 4096,
    /// The part of a class that is read: kind and superclass.
    CLASS_HEAD = 16,
    /// More superclasses than any class has up to NSObject.
    DEPTH = 16,
    KNOWN_CLASSES = 32,
    /// From this size on, the C library returns freed memory to the kernel at once (mallopt(3)).
    MAPPED_BYTES = 128 * 1024,
};

// NSObject's metadata in libFoundation.so, the root of every class that CoreFoundation's objects can have.
extern const char base_class[] __asm__("$s10Foundation8NSObjectCN");

// The linker's names for both ends of the constants' section.
extern const char __start_chatelaine_constants[] __attribute__((visibility("hidden")));
extern const char __stop_chatelaine_constants[] __attribute__((visibility("hidden")));

/// Classes that passed the check; a class is never freed. A slot is written once.
static _Atomic(uintptr_t) known_classes[KNOWN_CLASSES];

/// Checks a page by a system call that reads eight bytes at an address. The kernel copies the bytes before it looks
/// at the first argument, which is invalid. EFAULT means unreadable memory, EINVAL readable memory; nothing changes.
static bool is_readable_page(uintptr_t address) {
    int saved = errno;
    long result = syscall(SYS_rt_sigprocmask, ~0, address & ~(uintptr_t)7, NULL, 8);
    bool readable = !(result == -1 && errno == EFAULT);
    errno = saved;
    return readable;
}

static bool is_readable(uintptr_t address, size_t length, struct chatelaine_pages *pages) {
    if (address < PAGE || address + length < address) return false;
    for (uintptr_t page = address / PAGE; page <= (address + length - 1) / PAGE; page++) {
        bool known = false;
        for (unsigned index = 0; index < CHATELAINE_KNOWN_PAGES; index++) known |= pages->pages[index] == page;
        if (known) continue;
        if (!is_readable_page(page * PAGE)) return false;
        pages->pages[pages->next++ % CHATELAINE_KNOWN_PAGES] = page;
    }
    return true;
}

static bool is_known_class(uintptr_t class) {
    for (unsigned index = 0; index < KNOWN_CLASSES; index++) {
        uintptr_t known = atomic_load_explicit(&known_classes[index], memory_order_relaxed);
        if (known == 0) return false;
        if (known == class) return true;
    }
    return false;
}

static void remember_class(uintptr_t class) {
    for (unsigned index = 0; index < KNOWN_CLASSES; index++) {
        uintptr_t expected = 0;
        if (atomic_compare_exchange_strong(&known_classes[index], &expected, class) || expected == class) return;
    }
}

static bool is_class(uintptr_t class, struct chatelaine_pages *pages) {
    if (is_known_class(class)) return true;
    uintptr_t step = class;
    for (unsigned depth = 0; depth < DEPTH; depth++) {
        if (step % sizeof(uintptr_t) != 0 || !is_readable(step, CLASS_HEAD, pages)) return false;
        if (step == (uintptr_t)base_class) {
            remember_class(class);
            return true;
        }
        // SAFETY: the kernel could read these two words. The first is 0 for a class; another kind has no superclass.
        const uintptr_t *words = (const uintptr_t *)step;
        if (words[0] != 0) return false;
        step = words[1];
    }
    return false;
}

uintptr_t chatelaine_class_of(const void *object) {
    return __atomic_load_n((const uintptr_t *)object, __ATOMIC_RELAXED);
}

bool chatelaine_is_constant(const void *pointer) {
    return (const char *)pointer >= __start_chatelaine_constants && (const char *)pointer < __stop_chatelaine_constants;
}

/// Copies whole words where they are aligned. Where another thread replaces a pointer meanwhile, the copy has the old
/// or the new one, never a half of each.
static void copy(const void *address, void *buffer, size_t length) {
    const unsigned char *from = address;
    unsigned char *to = buffer;
    // SAFETY: whoever calls has asked the kernel just now whether it can read there. The compiler must neither join nor
    // repeat the reads, since another thread may write.
    while (length > 0 && (length < sizeof(uintptr_t) || (uintptr_t)from % sizeof(uintptr_t) != 0)) {
        *to++ = *(const volatile unsigned char *)from++;
        length--;
    }
    for (; length >= sizeof(uintptr_t); length -= sizeof(uintptr_t)) {
        uintptr_t word = __atomic_load_n((const uintptr_t *)from, __ATOMIC_ACQUIRE);
        memcpy(to, &word, sizeof word);
        from += sizeof word;
        to += sizeof word;
    }
    while (length-- > 0) *to++ = *(const volatile unsigned char *)from++;
}

bool chatelaine_read(const void *address, void *buffer, size_t length, struct chatelaine_pages *pages) {
    if (length >= MAPPED_BYTES) {
        // The kernel copies, so that memory that disappears meanwhile causes an error and no signal.
        struct iovec target = {buffer, length}, source = {(void *)address, length};
        long copied = syscall(SYS_process_vm_readv, getpid(), &target, 1, &source, 1, 0);
        // EPERM and ENOSYS come from sandboxes that do not allow the call.
        if (copied >= 0 || errno == EFAULT) return copied == (long)length;
    }
    if (length > 0 && !is_readable((uintptr_t)address, length, pages)) return false;
    copy(address, buffer, length);
    return true;
}

bool chatelaine_read_head(const void *pointer, struct chatelaine_head *head, struct chatelaine_pages *pages) {
    if ((uintptr_t)pointer % sizeof(uintptr_t) != 0) return false;
    memset(head->bytes, 0, sizeof head->bytes);
    // An object at the end of its page may be shorter than the copied head.
    size_t rest = PAGE - (uintptr_t)pointer % PAGE;
    if (!chatelaine_read(pointer, head->bytes, sizeof head->bytes, pages) &&
        (rest >= sizeof head->bytes || !chatelaine_read(pointer, head->bytes, rest, pages)))
        return false;
    return is_class(chatelaine_class_of(head->bytes), pages);
}
