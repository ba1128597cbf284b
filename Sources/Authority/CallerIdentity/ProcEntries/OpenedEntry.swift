import ChatelaineSystem
import Glibc

/// The result of a look: descriptors, which the receiver closes, or an error number.
package struct OpenedEntry: Sendable {
    /// 0 if the look succeeded.
    package let error: Int32
    /// Close-on-exec. Most entries have one descriptor.
    package let descriptors: [Int32]

    package init(error: Int32) {
        self.error = error
        descriptors = []
    }

    package init(descriptors: [Int32]) {
        error = 0
        self.descriptors = descriptors
    }

    /// The result of a call that opens a descriptor; it reads `errno` if the call failed.
    init(opened number: Int32) { self = number >= 0 ? OpenedEntry(descriptors: [number]) : OpenedEntry(error: errno) }

    /// The single descriptor of an entry that has one.
    func onlyOne() throws(Errno) -> Descriptor {
        guard error == 0, descriptors.count == 1 else {
            for number in descriptors { close(number) }
            throw Errno(error == 0 ? EIO : error)
        }
        return Descriptor(descriptors[0])
    }
}
