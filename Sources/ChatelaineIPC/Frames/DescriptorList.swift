import CChatelaine
import Glibc

/// The descriptors that came with a frame, closed at the end of its handling unless somebody takes them.
public struct DescriptorList: ~Copyable {
    private var numbers: [Int32] = []

    init() {}

    deinit { for number in numbers { close(number) } }

    public var count: Int { numbers.count }

    mutating func take(from ancillary: chatelaine_ancillary) {
        guard ancillary.descriptor_count > 0 else { return }
        withUnsafeBytes(of: ancillary.descriptors) { bytes in
            numbers += bytes.bindMemory(to: Int32.self).prefix(Int(ancillary.descriptor_count))
        }
    }

    /// A duplicate of the descriptor at `index` that closes on exec, or nil where there is none.
    public borrowing func duplicate(at index: Int) -> Descriptor? {
        guard numbers.indices.contains(index) else { return nil }
        let number = fcntl(numbers[index], F_DUPFD_CLOEXEC, 0)
        return number >= 0 ? Descriptor(number) : nil
    }
}
