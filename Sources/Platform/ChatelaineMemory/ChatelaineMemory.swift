/// Memory for secrets: wiped when released and, in the daemons, locked and kept out of core dumps.
///
/// Keys and payloads live in ``SecretBytes`` and nowhere else: a `String` or an array is copied and freed by the
/// standard library without a trace of where the copies went. ``SecretArena`` is the allocator behind it. A daemon
/// calls ``SecretArena/lockPages()`` before its first secret; the client library does not, because it must hand its
/// results to the program as `Data` anyway and the program's locked memory is not ours to spend.
package enum ChatelaineMemory {
    /// Zeroes memory in a way that the optimiser cannot leave out.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress else { return }
        // SAFETY: the buffer's owner vouches for its extent; the call writes inside it only.
        chatelaine_wipe(base, memory.count)
    }

    /// Zeroes what functions that have returned left on the stack, below the caller: the cryptographic library expands keys there.
    package static func wipeStack() {
        // SAFETY: the call touches its own frame only.
        chatelaine_wipe_stack()
    }
}

import CChatelaine
