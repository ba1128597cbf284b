import CChatelaine

/// A secret: bytes that never move, never change, and are wiped when the last owner lets go.
///
/// Printing or interpolating one shows its length only. Compare with ``==``, which takes the same time wherever the
/// difference lies.
// `@unchecked Sendable`: the memory is written in `init` only, before the reference can be shared.
@usableFromInline
package final class SecretBytes: @unchecked Sendable {
    @usableFromInline
    package let count: Int
    @usableFromInline
    let block: UnsafeMutableRawBufferPointer
    private let isPooled: Bool

    /// `count` bytes that `initialize` fills; the buffer it is given is zeroed.
    ///
    /// Memory exhaustion ends the process, as any allocation in Swift does.
    package init(count: Int, initialize: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        isPooled = SecretArena.isPooling
        guard let block = SecretArena.allocate(count, isPooled: isPooled) else {
            fatalError("out of memory for \(count) secret bytes")
        }
        self.block = block
        self.count = count
        try initialize(UnsafeMutableRawBufferPointer(rebasing: block[..<count]))
    }

    /// A copy; whoever holds the original wipes it.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// A copy of bytes that are no secret yet, or whose wiping is the caller's matter.
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Takes over a block that ``SecretBuffer`` filled.
    init(adopting block: UnsafeMutableRawBufferPointer, count: Int, isPooled: Bool) {
        self.block = block
        self.count = count
        self.isPooled = isPooled
    }

    deinit { SecretArena.release(block, isPooled: isPooled) }

    /// Lends the bytes; the pointer is valid inside `body` only, and what `body` copies is its own to wipe.
    @inlinable
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(rebasing: block[..<count])) }
    }
}

extension SecretBytes: Equatable {
    @usableFromInline
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                // SAFETY: both are `count` bytes long, and outlive the call.
                return chatelaine_is_same(first, second, left.count) != 0
            }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    @usableFromInline package var description: String { "<\(count) secret bytes>" }
    @usableFromInline package var customMirror: Mirror { Mirror(self, children: []) }
}
