import CoreFoundation

/// A source of random numbers; there is one, ``kSecRandomDefault``.
public typealias SecRandomRef = OpaquePointer

/// The system's source of random numbers.
///
/// In C it is a null pointer although its Swift type has no nil. Swift may not make such a value, so this is the
/// address of a byte that exists for this purpose and is never read.
// PROOF for nonisolated(unsafe): a `let`, and nobody ever follows the pointer.
nonisolated(unsafe) public let kSecRandomDefault: SecRandomRef = SecRandomRef(
    UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

/// Fills memory with random bytes that are fit for keys.
///
/// They come from the kernel's generator (getrandom(2)), which never returns before it has been seeded. On failure the
/// contents of the memory are not to be used.
///
/// - Parameters:
///   - rnd: ``kSecRandomDefault``; since there is one source, it is not looked at.
///   - count: how many bytes, 0 or more.
///   - bytes: where to put them; room for `count` bytes.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count or an address that cannot be written;
///   `errSecInternalComponent` when the kernel has no such generator.
@discardableResult
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    RandomCall.status(count, bytes)
}
