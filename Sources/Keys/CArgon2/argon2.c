#include "chatelaine_argon2.h"

#include <argon2.h>
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>

/* The library checks only the pointer. */
static int take_pages(uint8_t **memory, size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *memory = pages == MAP_FAILED ? NULL : pages;
    if (!*memory) return ARGON2_MEMORY_ALLOCATION_ERROR;
    (void)madvise(pages, size, MADV_DONTDUMP);
    /* An attacker avoids page faults, so time saved on them can be spent on memory. */
    (void)madvise(pages, size, MADV_HUGEPAGE);
    return ARGON2_OK;
}

/*
 * Already wiped: the library's switch for that (FLAG_clear_internal_memory) is on, and no code outside the library can
 * change it.
 */
static void give_pages_back(uint8_t *memory, size_t size) { (void)munmap(memory, size); }

int chatelaine_argon2id(
    const void *password, size_t password_size, const void *salt, size_t salt_size, uint32_t memory, uint32_t passes,
    uint32_t lanes, void *key, size_t key_size) {
    if (password_size > INT_MAX || salt_size > INT_MAX || key_size > INT_MAX) return EINVAL;
    argon2_context context = {
        .out = key,
        .outlen = (uint32_t)key_size,
        /* Only read: the flag to wipe it is not set, and its owner wipes it. */
        .pwd = (uint8_t *)password,
        .pwdlen = (uint32_t)password_size,
        .salt = (uint8_t *)salt,
        .saltlen = (uint32_t)salt_size,
        .t_cost = passes,
        .m_cost = memory,
        .lanes = lanes,
        /* The number of lanes changes the result, the number of threads only the time. */
        .threads = 1,
        .version = ARGON2_VERSION_13,
        .allocate_cbk = take_pages,
        .free_cbk = give_pages_back,
        .flags = ARGON2_DEFAULT_FLAGS,
    };
    switch (argon2id_ctx(&context)) {
    case ARGON2_OK: return 0;
    case ARGON2_MEMORY_ALLOCATION_ERROR: return ENOMEM;
    default: return EINVAL;
    }
}
