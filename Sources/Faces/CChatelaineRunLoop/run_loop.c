#include "CChatelaineRunLoop.h"

#include <CoreFoundation/CFRunLoop.h>
#include <stdlib.h>

// The declarations of CFRunLoop.h that only this file needs; the layout is the toolchain's.
typedef struct __CFRunLoopSource *CFRunLoopSourceRef;
typedef struct {
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copy_description)(const void *info);
    Boolean (*equal)(const void *first, const void *second);
    CFHashCode (*hash)(const void *info);
    void (*schedule)(void *info, CFRunLoopRef loop, CFRunLoopMode mode);
    void (*cancel)(void *info, CFRunLoopRef loop, CFRunLoopMode mode);
    void (*perform)(void *info);
} CFRunLoopSourceContext;

extern CFRunLoopSourceRef CFRunLoopSourceCreate(CFAllocatorRef, CFIndex order, CFRunLoopSourceContext *context);
extern void CFRunLoopAddSource(CFRunLoopRef, CFRunLoopSourceRef, CFRunLoopMode);
extern void CFRunLoopRemoveSource(CFRunLoopRef, CFRunLoopSourceRef, CFRunLoopMode);
extern void CFRunLoopSourceInvalidate(CFRunLoopSourceRef);
extern void CFRunLoopSourceSignal(CFRunLoopSourceRef);

/// The information of a source, which is freed with the source.
struct carried {
    const struct chatelaine_source_calls *calls;
    void *content;
};

static void release(const void *info) {
    const struct carried *carried = info;
    carried->calls->release(carried->content);
    free((void *)carried);
}

static void cancel(void *info, CFRunLoopRef loop, CFRunLoopMode mode) {
    (void)loop;
    (void)mode;
    const struct carried *carried = info;
    carried->calls->cancel(carried->content);
}

static void perform(void *info) {
    const struct carried *carried = info;
    carried->calls->perform(carried->content);
}

const void *chatelaine_run_loop_current(void) { return CFRetain(CFRunLoopGetCurrent()); }

const void *chatelaine_source_make(
    const void *loop, const void *content, const struct chatelaine_source_calls *calls) {
    struct carried *carried = malloc(sizeof *carried);
    if (!carried) {
        calls->release(content);
        return NULL;
    }
    carried->calls = calls;
    carried->content = (void *)content;
    CFRunLoopSourceContext context = {
        .info = carried, .release = release, .cancel = cancel, .perform = perform};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    if (!source) {
        release(carried);
        return NULL;
    }
    CFRunLoopAddSource((CFRunLoopRef)loop, source, kCFRunLoopCommonModes);
    return source;
}

void chatelaine_source_signal(const void *source, const void *loop) {
    CFRunLoopSourceSignal((CFRunLoopSourceRef)source);
    CFRunLoopWakeUp((CFRunLoopRef)loop);
}

void chatelaine_source_remove(const void *source, const void *loop) {
    CFRunLoopRemoveSource((CFRunLoopRef)loop, (CFRunLoopSourceRef)source, kCFRunLoopCommonModes);
    // After this call the source does not perform, even if its loop is about to.
    CFRunLoopSourceInvalidate((CFRunLoopSourceRef)source);
}

void chatelaine_run_loop_retain(const void *object) { CFRetain(object); }

void chatelaine_run_loop_release(const void *object) { CFRelease(object); }
