// Swift's runtime catches crash signals in every process that loads it. It prints the memory that registers point to,
// and on a terminal waits for a key. A C program that loads this library did not ask for that, and the memory may
// hold a secret. So this file restores the signals' default handlers. A Swift program keeps the runtime's handlers,
// and so does a process with SWIFT_BACKTRACE set.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SWIFT_RUNTIME "libswiftCore.so"

extern void *swift_retain(void *object);

/// Finds out whether the program itself links Swift's runtime; the first object is the program.
static int look_at_program(struct dl_phdr_info *program, size_t size, void *is_swift) {
    (void)size;
    const ElfW(Dyn) *dynamic = NULL;
    for (unsigned index = 0; index < program->dlpi_phnum; index++)
        if (program->dlpi_phdr[index].p_type == PT_DYNAMIC)
            dynamic = (const void *)(program->dlpi_addr + program->dlpi_phdr[index].p_vaddr);
    uintptr_t names = 0;
    for (const ElfW(Dyn) *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
    // The loader has turned the offset into an address on most machines, but not on all.
    if (names < program->dlpi_addr) names += program->dlpi_addr;
    for (const ElfW(Dyn) *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strcmp((const char *)(names + entry->d_un.d_val), SWIFT_RUNTIME) == 0)
            *(bool *)is_swift = true;
    return 1;
}

/// Runs when the library is loaded, after the runtime that it needs.
__attribute__((constructor)) static void give_signals_back(void) {
    static const int crashes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    Dl_info runtime, owner;
    bool is_swift = false;
    const char *wish = getenv("SWIFT_BACKTRACE");
    if (wish && *wish) return;
    dl_iterate_phdr(look_at_program, &is_swift);
    if (is_swift || !dladdr((const void *)swift_retain, &runtime)) return;
    for (size_t index = 0; index < sizeof crashes / sizeof crashes[0]; index++) {
        struct sigaction action;
        if (sigaction(crashes[index], NULL, &action) != 0) continue;
        // A handler of the program itself stays.
        if (!dladdr((const void *)action.sa_handler, &owner) || owner.dli_fbase != runtime.dli_fbase) continue;
        signal(crashes[index], SIG_DFL);
    }
}
