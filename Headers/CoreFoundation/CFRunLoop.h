/* Run loops, for programs that wait for callbacks. Foundation's RunLoop uses the same loops. */
#ifndef CHATELAINE_CFRUNLOOP_H
#define CHATELAINE_CFRUNLOOP_H

#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFDate.h>

CF_EXTERN_C_BEGIN

typedef CFStringRef CFRunLoopMode;
typedef struct __CFRunLoop *CFRunLoopRef;

/* The reason why CFRunLoopRunInMode returned. */
typedef SInt32 CFRunLoopRunResult;
enum {
    /* There is nothing in the mode to wait for. */
    kCFRunLoopRunFinished = 1,
    kCFRunLoopRunStopped = 2,
    kCFRunLoopRunTimedOut = 3,
    kCFRunLoopRunHandledSource = 4
};

CF_EXPORT const CFRunLoopMode kCFRunLoopDefaultMode;
CF_EXPORT const CFRunLoopMode kCFRunLoopCommonModes;

CF_EXPORT CFTypeID CFRunLoopGetTypeID(void);

/* The run loop of this thread, and that of the main thread. */
CF_EXPORT CFRunLoopRef CFRunLoopGetCurrent(void);
CF_EXPORT CFRunLoopRef CFRunLoopGetMain(void);

/*
 * Runs the loop of this thread until it is stopped or has nothing to wait for. CFRunLoopRunInMode also has a time limit
 * in seconds.
 */
CF_EXPORT void CFRunLoopRun(void);
CF_EXPORT CFRunLoopRunResult CFRunLoopRunInMode(
    CFRunLoopMode mode, CFTimeInterval seconds, Boolean returnAfterSourceHandled);

CF_EXPORT Boolean CFRunLoopIsWaiting(CFRunLoopRef rl);
CF_EXPORT void CFRunLoopWakeUp(CFRunLoopRef rl);
CF_EXPORT void CFRunLoopStop(CFRunLoopRef rl);

CF_EXTERN_C_END

#endif
