import CoreFoundation

/// A source of random numbers; the only one is ``kSecRandomDefault``.
public typealias SecRandomRef = OpaquePointer

/// The system's source of random numbers.
///
/// In C the constant is a null pointer, although its Swift type has no nil. Swift cannot make such a value, so the
/// constant is the address of a byte that exists for this purpose and is never read.
// PROOF for nonisolated(unsafe): a `let`, and nobody ever follows the pointer.
nonisolated(unsafe) public let kSecRandomDefault: SecRandomRef = SecRandomRef(
    UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

/// Fills memory with random bytes that are fit for keys.
///
/// The bytes come from the kernel's generator (getrandom(2)), which never returns before it is seeded. After a
/// failure, do not use the contents of the memory.
///
/// - Parameters:
///   - rnd: ignored, since there is only one source.
///   - count: the number of bytes, 0 or more.
///   - bytes: memory with room for `count` bytes.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count or an address that cannot be written;
///   `errSecInternalComponent` when the kernel has no such generator.
@discardableResult
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    RandomCall.status(count, bytes)
}
