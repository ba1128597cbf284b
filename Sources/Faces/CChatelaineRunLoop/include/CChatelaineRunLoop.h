// CoreFoundation's run loops, on which Foundation's RunLoop is built, and which C programs run.
//
// Data model: a loop and a source are a `const void *`, each with one reference for the caller. A source is in the
// common modes of one loop. Any thread may signal or remove it; its calls run on the thread of its loop.
#ifndef CHATELAINE_RUN_LOOP_H
#define CHATELAINE_RUN_LOOP_H

#include <stdint.h>

/// The calls of a source; each gets the pointer that the source was made for.
struct chatelaine_source_calls {
    /// Called when the source was signalled and its loop runs.
    void (*perform)(void *content);
    /// Called when the source was removed from its loop, or the loop's thread has ended.
    void (*cancel)(void *content);
    /// Called when the pointer is no longer needed.
    void (*release)(const void *content);
};

/// Returns the loop of this thread.
const void *chatelaine_run_loop_current(void);

/// Adds a source to a loop and takes over one reference to its content; a null pointer where there is no memory.
const void *chatelaine_source_make(
    const void *loop, const void *content, const struct chatelaine_source_calls *calls);

/// Makes a source perform once its loop runs, and wakes the loop; does nothing for a removed source.
void chatelaine_source_signal(const void *source, const void *loop);

void chatelaine_source_remove(const void *source, const void *loop);

void chatelaine_run_loop_retain(const void *object);

/// Releases a reference to a loop or a source.
void chatelaine_run_loop_release(const void *object);

#endif
