// Swift's runtime catches crash signals in every process that loads it. It prints the memory that registers point to,
// and on a terminal waits for a key. A C program that loads this library did not ask for that, and the memory may
// hold a secret. So this file restores the signals' default handlers. A Swift program keeps the runtime's handlers,
// and so does a process with SWIFT_BACKTRACE set.
#define _GNU_SOURCE

#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
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

/// The object in which an address lies. dladdr(3) would also look through all symbols of the object for the address,
/// which takes half a millisecond for Swift's runtime.
struct object {
    uintptr_t address, start, end;
};

static int look_for_object(struct dl_phdr_info *loaded, size_t size, void *wanted) {
    (void)size;
    struct object *object = wanted;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (unsigned index = 0; index < loaded->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &loaded->dlpi_phdr[index];
        if (part->p_type != PT_LOAD) continue;
        uintptr_t first = loaded->dlpi_addr + part->p_vaddr;
        if (first < start) start = first;
        if (first + part->p_memsz > end) end = first + part->p_memsz;
    }
    if (object->address < start || object->address >= end) return 0;
    object->start = start;
    object->end = end;
    return 1;
}

/// Runs when the library is loaded, after the runtime that it needs.
__attribute__((constructor)) static void give_signals_back(void) {
    static const int crashes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    struct object runtime = {.address = (uintptr_t)swift_retain};
    bool is_swift = false;
    const char *wish = getenv("SWIFT_BACKTRACE");
    if (wish && *wish) return;
    dl_iterate_phdr(look_at_program, &is_swift);
    if (is_swift || dl_iterate_phdr(look_for_object, &runtime) == 0) return;
    for (size_t index = 0; index < sizeof crashes / sizeof crashes[0]; index++) {
        struct sigaction action;
        if (sigaction(crashes[index], NULL, &action) != 0) continue;
        // A handler of the program itself stays.
        uintptr_t handler = (uintptr_t)action.sa_handler;
        if (handler < runtime.start || handler >= runtime.end) continue;
        signal(crashes[index], SIG_DFL);
    }
}
