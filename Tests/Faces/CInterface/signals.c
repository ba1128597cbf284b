// A test that the library does nothing to a program's signals. With a path as its argument, it loads that library after
// setting a handler of its own. Without a path, it is linked with the library. "caught" expects Swift's handlers, and
// "crash" crashes.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LINKED
#include <Security/Security.h>
#endif

static void own_handler(int number) { _exit(number); }

static int caught(void) {
    int count = 0;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) != 0) continue;
        if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN || action.sa_handler == own_handler) continue;
        fprintf(stderr, "signal %d has a handler\n", number);
        count++;
    }
    return count;
}

static int ignores(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int main(int count, char **arguments) {
    const char *argument = count > 1 ? arguments[1] : "";
    int pipes_ignored = ignores(SIGPIPE);
#ifdef LINKED
    if (strcmp(argument, "caught") == 0) return caught() == 0;
    if (caught()) return 1;
    CFDictionaryRef query = CFDictionaryCreate(
        NULL, (const void *[]){kSecClass}, (const void *[]){kSecClassGenericPassword}, 1, &kCFTypeDictionaryKeyCallBacks,
        &kCFTypeDictionaryValueCallBacks);
    if (SecItemCopyMatching(query, NULL) != errSecItemNotFound) return 1;
    CFRelease(query);
    if (strcmp(argument, "crash") == 0) abort();
#else
    signal(SIGABRT, own_handler);
    void *library = dlopen(argument, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    struct sigaction action;
    if (sigaction(SIGABRT, NULL, &action) != 0 || action.sa_handler != own_handler) return 1;
#endif
    return caught() != 0 || ignores(SIGPIPE) != pipes_ignored;
}
