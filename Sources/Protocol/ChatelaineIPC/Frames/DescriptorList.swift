import CChatelaine
import ChatelaineSystem
import Glibc

/// The descriptors that came with a frame, closed at the end of its handling unless somebody takes them.
///
/// Those of a stranger are closed here where they are known to hold up nobody, and by a ``DescriptorClosing`` elsewhere.
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

/// Closes descriptors that a stranger made, where closing may take as long as their maker likes, and holds up nobody.
package protocol DescriptorClosing: AnyObject, Sendable {
    /// Takes a descriptor over that came with a message.
    func dispose(_ descriptor: consuming Descriptor)
    /// Takes the socket of a connection over that has ended.
    func dispose(connection: consuming Descriptor)
}
