import CChatelaine

/// Memory for secrets: wiped when released and, in the daemons, locked and kept out of core dumps.
///
/// Keys and payloads live in ``SecretBytes`` and nowhere else. The standard library copies and frees a `String` or an
/// array without a trace of the copies. ``SecretArena`` allocates the memory.
///
/// A daemon calls ``SecretArena/lockPages()`` before its first secret. The client library does not: it hands its
/// results to the program as `Data` anyway, and may not use up the program's limit of locked memory.
package enum ChatelaineMemory {
    /// Zeroes memory in a way that the optimiser cannot leave out.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress else { return }
        // SAFETY: the buffer's owner vouches for its extent; the call writes inside it only.
        chatelaine_wipe(base, memory.count)
    }

    /// Zeroes the stack below the caller, where the cryptographic library leaves expanded keys.
    package static func wipeStack() {
        // SAFETY: the call touches its own frame only.
        chatelaine_wipe_stack()
    }
}
