// Tests with many threads, with dictionaries that change while they are read, and with a process that forks.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 8, ROUNDS = 25, CHANGING_CALLS = 1000 };

static void *work(void *argument) {
    int thread = (int)(intptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        char name[32];
        snprintf(name, sizeof name, "thread %d-%d", thread, round);
        CFStringRef account = text(name);
        CFDataRef secret = data(name);
        CFMutableDictionaryRef item = dictionary(
            kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("threads"), kSecAttrAccount, account, NULL);
        CHECK_STATUS(add(with(item, kSecValueData, secret)), errSecSuccess);
        CFMutableDictionaryRef query = with(item, kSecReturnData, kCFBooleanTrue);
        CFTypeRef result = found(query);
        CHECK(is_data(result, name));
        if (result) CFRelease(result);
        CFRelease(query);
        CHECK_STATUS(SecItemDelete(item), errSecSuccess);
        CFRelease(item);
        CFRelease(secret);
        CFRelease(account);
    }
    return NULL;
}

void test_threads(void) {
    pthread_t threads[THREADS];
    for (int index = 0; index < THREADS; index++) pthread_create(&threads[index], NULL, work, (void *)(intptr_t)index);
    for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
}

/// A dictionary that another thread changes until it is told to stop.
struct changing {
    CFMutableDictionaryRef query;
    CFMutableDataRef secret;
    atomic_bool stop;
};

static void *change(void *argument) {
    struct changing *changing = argument;
    for (unsigned round = 0; !changing->stop; round++) {
        CFMutableDictionaryRef query = changing->query;
        CFStringRef account = CFStringCreateWithFormat(NULL, NULL, CFSTR("account number %u of many"), round);
        CFDictionarySetValue(query, kSecAttrAccount, account);
        CFDictionarySetValue(query, kSecAttrLabel, CFSTR("label"));
        CFRelease(account);
        for (unsigned extra = 0; extra < round % 40; extra++) {
            CFStringRef key = CFStringCreateWithFormat(NULL, NULL, CFSTR("match %u"), extra);
            CFDictionarySetValue(query, key, kCFBooleanTrue);
            CFRelease(key);
        }
        CFDictionaryRemoveValue(query, kSecAttrAccount);
        CFDataSetLength(changing->secret, round % 2 ? 10 : 1 << 20);
        if (round % 8 == 0) {
            CFDictionaryRemoveAllValues(query);
            CFDictionarySetValue(query, kSecClass, kSecClassGenericPassword);
            CFDictionarySetValue(query, kSecAttrService, CFSTR("changing"));
        }
    }
    return NULL;
}

void test_changing_dictionaries(void) {
    struct changing changing = {dictionary(kSecClass, kSecClassGenericPassword, NULL), NULL, false};
    changing.secret = CFDataCreateMutable(NULL, 0);
    CFMutableDictionaryRef item = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("changing data"), NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, change, &changing);
    for (int call = 0; call < CHANGING_CALLS; call++) {
        OSStatus status = SecItemCopyMatching(changing.query, NULL);
        CHECK(status == errSecItemNotFound || status == errSecParam);
        if (call % 20 != 0) continue;
        status = add(with(item, kSecValueData, changing.secret));
        CHECK(status == errSecSuccess || status == errSecParam);
        SecItemDelete(item);
    }
    changing.stop = true;
    pthread_join(thread, NULL);
    CFRelease(item);
    CFRelease(changing.secret);
    CFRelease(changing.query);
}

void test_fork(void) {
    CFMutableDictionaryRef item =
        dictionary(kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("fork"), NULL);
    CHECK_STATUS(SecItemAdd(item, NULL), errSecSuccess);
    pid_t child = fork();
    if (child == 0) _exit(SecItemCopyMatching(item, NULL) == errSecSuccess ? 0 : 1);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK_STATUS(SecItemDelete(item), errSecSuccess);
    CFRelease(item);
}
