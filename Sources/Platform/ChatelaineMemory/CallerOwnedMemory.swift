import CChatelaine
import Glibc

/// Memory that becomes a program's, which gives it back when it has done with it.
///
/// It is of malloc, which knows how large it is: whatever was in it is wiped when it comes back, and a program that frees it by
/// itself does no harm but to its own secret.
package enum CallerOwnedMemory {
    /// A copy of bytes, nil where there is no memory; of no bytes it is a place all the same.
    package static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard let block = malloc(max(bytes.count, 1)) else { return nil }
        if let start = bytes.baseAddress { block.copyMemory(from: start, byteCount: bytes.count) }
        return block
    }

    /// Room for values that the caller initializes.
    package static func allocate<Value>(
        _ type: Value.Type, count: Int
    ) -> UnsafeMutablePointer<Value>? {
        malloc(max(count, 1) * MemoryLayout<Value>.stride)?.bindMemory(to: type, capacity: max(count, 1))
    }

    /// Wipes and frees what came from here.
    package static func free(_ block: UnsafeMutableRawPointer?) { chatelaine_free(block) }
}
