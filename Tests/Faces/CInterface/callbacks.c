// Tests of callbacks of file keychains on run loops, for changes by this process and by another.
#include "check.h"

#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const file_name = "c-callbacks.keychain";
static const char *const password = "correct horse";

/// The events that one function got.
struct heard {
    unsigned counts[16];
    pid_t pid;
    pthread_t thread;
    bool is_deleting;
    OSStatus deleted;
};

static OSStatus hear(SecKeychainEvent event, SecKeychainCallbackInfo *info, void *context) {
    struct heard *heard = context;
    CHECK(event < 16 && info->version == 0);
    heard->counts[event]++;
    heard->pid = info->pid;
    heard->thread = pthread_self();
    CHECK((info->keychain != NULL) == (event != kSecKeychainListChangedEvent));
    if (info->keychain) CHECK(CFGetTypeID(info->keychain) == SecKeychainGetTypeID());
    CHECK((info->item != NULL) == (event >= kSecAddEvent && event <= kSecUpdateEvent));
    if (info->item) CHECK(CFGetTypeID(info->item) == SecKeychainItemGetTypeID());
    if (heard->is_deleting && event == kSecAddEvent) heard->deleted = SecKeychainItemDelete(info->item);
    CFRunLoopStop(CFRunLoopGetCurrent());
    // The result of a callback is ignored.
    return errSecParam;
}

static OSStatus hear_once(SecKeychainEvent event, SecKeychainCallbackInfo *info, void *context) {
    (void)event;
    (void)info;
    ++*(unsigned *)context;
    return SecKeychainRemoveCallback(hear_once);
}

/// Runs this thread's loop until an event arrives.
static bool await(const struct heard *heard, SecKeychainEvent event) {
    for (int round = 0; round < 600 && heard->counts[event] == 0; round++)
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, true);
    return heard->counts[event] > 0;
}

static void unlock(SecKeychainRef keychain) {
    CHECK_STATUS(SecKeychainUnlock(keychain, (UInt32)strlen(password), password, TRUE), errSecSuccess);
}

/// The changes of another process: this program starts itself with this part.
void test_callback_changes(void) {
    SecKeychainRef keychain = NULL;
    SecKeychainStatus bits = 0;
    CHECK_STATUS(SecKeychainOpen(file_name, &keychain), errSecSuccess);
    if (SecKeychainGetStatus(keychain, &bits) == errSecSuccess) {
        CHECK_STATUS(SecKeychainLock(keychain), errSecSuccess);
        unlock(keychain);
        CHECK_STATUS(
            SecKeychainAddGenericPassword(keychain, 1, "s", 5, "other", 6, "s3cret", NULL), errSecSuccess);
    }
    CFRelease(keychain);
}

static void *hear_on_thread(void *content) {
    struct heard *heard = content;
    CHECK_STATUS(SecKeychainAddCallback(hear_once, kSecEveryEventMask, &heard->counts[0]), errSecSuccess);
    // The thread ends without removing its callback.
    return NULL;
}

void test_callbacks(void) {
    struct heard heard;
    memset(&heard, 0, sizeof heard);
    SecKeychainRef keychain = NULL;
    CHECK_STATUS(SecKeychainAddCallback(NULL, kSecEveryEventMask, NULL), errSecParam);
    CHECK_STATUS(SecKeychainRemoveCallback(hear), errSecInvalidCallback);
    CHECK_STATUS(SecKeychainAddCallback(hear, kSecEveryEventMask, &heard), errSecSuccess);
    CHECK_STATUS(SecKeychainAddCallback(hear, kSecLockEventMask, NULL), errSecDuplicateCallback);
    CHECK_STATUS(
        SecKeychainCreate(file_name, (UInt32)strlen(password), password, FALSE, NULL, &keychain), errSecSuccess);
    CHECK(heard.counts[kSecKeychainListChangedEvent] == 0);
    CHECK(await(&heard, kSecKeychainListChangedEvent));
    CHECK(heard.pid == getpid() && pthread_equal(heard.thread, pthread_self()));

    char name[] = "suite", part[] = "callback-changes";
    char *const words[] = {name, part, NULL};
    pid_t child = 0;
    int status = 0;
    CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0);
    CHECK(await(&heard, kSecLockEvent) && await(&heard, kSecUnlockEvent) && await(&heard, kSecAddEvent));
    CHECK(heard.pid == child && waitpid(child, &status, 0) == child && status == 0);

    heard.is_deleting = true;
    heard.counts[kSecAddEvent] = 0;
    heard.deleted = errSecParam;
    CHECK_STATUS(SecKeychainAddGenericPassword(keychain, 1, "s", 3, "own", 6, "s3cret", NULL), errSecSuccess);
    CHECK(await(&heard, kSecAddEvent) && heard.deleted == errSecSuccess);
    CHECK(await(&heard, kSecDeleteEvent));

    // The callbacks of an ended thread are forgotten, and its function can be registered again.
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, hear_on_thread, &heard) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    unsigned calls = 0;
    CHECK_STATUS(SecKeychainAddCallback(hear_once, kSecLockEventMask, &calls), errSecSuccess);
    heard.counts[kSecLockEvent] = heard.counts[kSecUnlockEvent] = 0;
    CHECK_STATUS(SecKeychainLock(keychain), errSecSuccess);
    CHECK(await(&heard, kSecLockEvent));
    unlock(keychain);
    CHECK(await(&heard, kSecUnlockEvent));
    CHECK_STATUS(SecKeychainLock(keychain), errSecSuccess);
    heard.counts[kSecLockEvent] = 0;
    CHECK(await(&heard, kSecLockEvent));
    CHECK(calls == 1);
    CHECK_STATUS(SecKeychainRemoveCallback(hear_once), errSecInvalidCallback);

    CHECK_STATUS(SecKeychainRemoveCallback(hear), errSecSuccess);
    CHECK_STATUS(SecKeychainDelete(keychain), errSecSuccess);
    CFRelease(keychain);
}
