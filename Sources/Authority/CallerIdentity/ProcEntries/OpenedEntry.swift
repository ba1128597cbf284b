import ChatelaineSystem
import Glibc

/// What a look brought: descriptors, which whoever gets them closes, or the number of an error.
package struct OpenedEntry: Sendable {
    /// 0 where it succeeded.
    package let error: Int32
    /// Close-on-exec; most entries are one.
    package let descriptors: [Int32]

    package init(error: Int32) {
        self.error = error
        descriptors = []
    }

    package init(descriptors: [Int32]) {
        error = 0
        self.descriptors = descriptors
    }

    /// What a call has opened just now, or why it has not.
    init(opened number: Int32) { self = number >= 0 ? OpenedEntry(descriptors: [number]) : OpenedEntry(error: errno) }

    /// The one descriptor of an entry that is one.
    func onlyOne() throws(Errno) -> Descriptor {
        guard error == 0, descriptors.count == 1 else {
            for number in descriptors { close(number) }
            throw Errno(error == 0 ? EIO : error)
        }
        return Descriptor(descriptors[0])
    }
}
