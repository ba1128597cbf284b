import CChatelaine

/// A secret: bytes that never move or change, and are wiped when the last owner releases them.
///
/// Printing or interpolating a secret shows only its length. Compare secrets by ``==``, whose time does not depend on
/// where they differ.
// `@unchecked Sendable`: the memory is written in `init`, before the reference can be shared, and in `rewrite`, by the
// only owner.
@usableFromInline
package final class SecretBytes: @unchecked Sendable {
    @usableFromInline
    package let count: Int
    @usableFromInline
    let block: UnsafeMutableRawBufferPointer
    private let isPooled: Bool

    /// Makes `count` zeroed bytes, which `initialize` fills.
    ///
    /// Exhausted memory ends the process, as for any allocation in Swift.
    package init(count: Int, initialize: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        isPooled = SecretArena.isPooling
        guard let block = SecretArena.allocate(count, isPooled: isPooled) else {
            fatalError("out of memory for \(count) secret bytes")
        }
        self.block = block
        self.count = count
        try initialize(UnsafeMutableRawBufferPointer(rebasing: block[..<count]))
    }

    /// Copies bytes; the owner of the original wipes the original.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// Copies bytes that are not secret yet, or that the caller wipes.
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Takes over a block that ``SecretBuffer`` filled, and that has zeros after the first `count` bytes.
    init(adopting block: UnsafeMutableRawBufferPointer, count: Int, isPooled: Bool) {
        self.block = block
        self.count = count
        self.isPooled = isPooled
    }

    deinit { SecretArena.release(block, touched: count, isPooled: isPooled) }

    /// Gives a secret other content of the same length, in its own memory if nobody else owns it.
    ///
    /// - Parameter initialize: overwrites every byte of the former content.
    package static func rewrite(_ secret: inout SecretBytes, initialize: (UnsafeMutableRawBufferPointer) -> Void) {
        if isKnownUniquelyReferenced(&secret) {
            initialize(UnsafeMutableRawBufferPointer(rebasing: secret.block[..<secret.count]))
        } else {
            secret = SecretBytes(count: secret.count, initialize: initialize)
        }
    }

    /// Lends the bytes. The pointer is valid inside `body` only, and `body` wipes any copies that it makes.
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
