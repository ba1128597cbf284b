import CChatelaine
import Glibc

/// Two Unix sockets that are connected to each other, both closed at the end of its life.
package struct SocketPair: ~Copyable, Sendable {
    package private(set) var ours: Descriptor
    /// The end for another process, if the pair is a channel to one.
    package private(set) var theirs: Descriptor

    package init() throws(Errno) {
        var numbers: [Int32] = [-1, -1]
        // SAFETY: the call writes two numbers, for which there is room.
        guard chatelaine_unix_socketpair(&numbers) == 0 else { throw .last }
        ours = Descriptor(numbers[0])
        theirs = Descriptor(numbers[1])
    }

    /// Gives up ownership of our end; the caller closes it.
    package mutating func takeOurs() -> Int32 {
        var taken = Descriptor(-1)
        swap(&taken, &ours)
        return taken.release()
    }

    /// Closes the other end once the other process has it.
    ///
    /// With that end open here as well, ours would not show the end of the process.
    package mutating func closeTheirs() { theirs = Descriptor(-1) }
}
