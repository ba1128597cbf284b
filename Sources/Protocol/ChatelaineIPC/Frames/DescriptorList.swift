import CChatelaine
import ChatelaineSystem
import Glibc

/// The descriptors that came with a frame.
///
/// The list closes them at the end of the frame's handling unless somebody takes them. Descriptors from a stranger are
/// closed here only where closing is known not to block; a ``DescriptorClosing`` closes the others.
package struct DescriptorList: ~Copyable {
    private var numbers: [Int32] = []
    private var closer: (any DescriptorClosing)?

    init() {}

    deinit {
        for number in numbers {
            if let closer, chatelaine_is_sealed_memfd(number) == 0 {
                closer.dispose(Descriptor(number))
            } else {
                close(number)
            }
        }
    }

    package var count: Int { numbers.count }

    mutating func take(from ancillary: chatelaine_ancillary, closer: (any DescriptorClosing)?) {
        guard ancillary.descriptor_count > 0 else { return }
        self.closer = closer
        withUnsafeBytes(of: ancillary.descriptors) { bytes in
            numbers += bytes.bindMemory(to: Int32.self).prefix(Int(ancillary.descriptor_count))
        }
    }

    /// A duplicate of the descriptor at `index` that closes on exec, or nil where there is none.
    package borrowing func duplicate(at index: Int) -> Descriptor? {
        guard numbers.indices.contains(index) else { return nil }
        let number = fcntl(numbers[index], F_DUPFD_CLOEXEC, 0)
        return number >= 0 ? Descriptor(number) : nil
    }
}

/// Closes descriptors that a stranger made, without blocking the caller.
///
/// Closing such a descriptor may take as long as the stranger likes.
package protocol DescriptorClosing: AnyObject, Sendable {
    /// Takes over a descriptor that came with a message.
    func dispose(_ descriptor: consuming Descriptor)
    /// Takes over the socket of a connection that has ended.
    func dispose(connection: consuming Descriptor)
}
