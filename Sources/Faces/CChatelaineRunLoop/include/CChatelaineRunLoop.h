// The run loops of CoreFoundation, which Foundation's RunLoop stands on, and which programs in C run.
//
// Data model: a loop and a source are a `const void *`, each with one reference for whoever called. A source is in the common modes of one
// loop. It can be signalled and taken away from any thread; what it does, it does on the thread of its loop.
#ifndef CHATELAINE_RUN_LOOP_H
#define CHATELAINE_RUN_LOOP_H

#include <stdint.h>

/// What a source does, with the pointer that it was made for.
struct chatelaine_source_calls {
    /// It was signalled, and its loop runs.
    void (*perform)(void *content);
    /// It was taken from its loop, or the thread of that has ended.
    void (*cancel)(void *content);
    /// Nobody needs the pointer any more.
    void (*release)(const void *content);
};

/// The loop of this thread.
const void *chatelaine_run_loop_current(void);

/// Adds a source to a loop; takes over one reference to its content. A null pointer where there is no memory.
const void *chatelaine_source_make(
    const void *loop, const void *content, const struct chatelaine_source_calls *calls);

/// Has a source perform once its loop runs, and wakes the loop. Nothing for one that was taken away.
void chatelaine_source_signal(const void *source, const void *loop);

void chatelaine_source_remove(const void *source, const void *loop);

void chatelaine_run_loop_retain(const void *object);

/// Gives back a reference to a loop or a source.
void chatelaine_run_loop_release(const void *object);

#endif
