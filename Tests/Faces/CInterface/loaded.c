// A program that is not linked with our library or Swift's. It loads the library, closes it, and loads it again. Its
// argument is the library's path.
#include <dlfcn.h>
#include <stdio.h>

typedef int (*call_with_two)(const void *, const void **);
typedef const void *(*create)(const void *, const void **, const void **, long, const void *, const void *);

static int use(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    call_with_two find = (call_with_two)dlsym(library, "SecItemCopyMatching");
    create dictionary = (create)dlsym(library, "CFDictionaryCreate");
    unsigned long (*type)(void) = (unsigned long (*)(void))dlsym(library, "SecAccessControlGetTypeID");
    void (*release)(const void *) = (void (*)(const void *))dlsym(library, "CFRelease");
    const void *const *class_key = dlsym(library, "kSecClass");
    const void *const *class_value = dlsym(library, "kSecClassGenericPassword");
    if (!find || !dictionary || !type || !release || !class_key || !class_value) return 1;
    const void *key = *class_key, *value = *class_value;
    const void *query = dictionary(NULL, &key, &value, 1, NULL, NULL);
    const int status = find(query, NULL);
    release(query);
    if (status != -25300 || type() == 0) {
        fprintf(stderr, "status %d, type %lu\n", status, type());
        return 1;
    }
    return dlclose(library);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    for (int round = 0; round < 3; round++)
        if (use(arguments[1])) return 1;
    puts("loaded, used and closed three times");
    return 0;
}
