import CChatelaine
import Glibc

/// Memory that is handed to a program, which gives it back after use.
///
/// It comes from malloc, which knows each block's size, so the whole block is wiped when the program gives it back. A
/// program that calls free(3) itself leaves only its own secret unwiped.
package enum CallerOwnedMemory {
    /// A copy of bytes; nil where memory is exhausted. A copy of no bytes is a valid pointer, too.
    package static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard let block = malloc(max(bytes.count, 1)) else { return nil }
        if let start = bytes.baseAddress { block.copyMemory(from: start, byteCount: bytes.count) }
        return block
    }

    /// Uninitialised memory for values, which the caller initialises.
    package static func allocate<Value>(
        _ type: Value.Type, count: Int
    ) -> UnsafeMutablePointer<Value>? {
        malloc(max(count, 1) * MemoryLayout<Value>.stride)?.bindMemory(to: type, capacity: max(count, 1))
    }

    /// Wipes and frees memory of ``copy(_:)`` or ``allocate(_:count:)``.
    package static func free(_ block: UnsafeMutableRawPointer?) { chatelaine_free(block) }
}
