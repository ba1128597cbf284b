import Glibc

/// Sixteen bytes as a value: identifiers and short digests, which every look-up copies and compares many times.
@usableFromInline
package struct Bytes16: Hashable, Sendable {
    @inlinable package static var count: Int { 16 }

    // The words hold the bytes in the order of memory, whatever numbers they are on this machine.
    @usableFromInline var first: UInt64
    @usableFromInline var second: UInt64

    /// Nil unless there are exactly ``count`` bytes.
    @usableFromInline
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        first = bytes.loadUnaligned(as: UInt64.self)
        second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// Nil unless there are exactly ``count`` bytes.
    @inlinable
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init(repeating: 0)
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    @usableFromInline
    package init(repeating byte: UInt8) {
        first = UInt64(byte) &* 0x0101_0101_0101_0101
        second = first
    }

    /// Sixteen random bytes from the system's generator.
    ///
    /// Swift's generator makes a system call for each eight bytes. An addition takes an identifier and three nonces.
    @usableFromInline
    package static func random() -> Bytes16 {
        var bytes = Bytes16(repeating: 0)
        let isFilled = withUnsafeMutableBytes(of: &bytes) { region in
            // SAFETY: the region is the value's own memory. The kernel fills all of so few bytes, or none.
            region.baseAddress.map { getentropy($0, region.count) == 0 } ?? false
        }
        if isFilled { return bytes }
        var generator = SystemRandomNumberGenerator()
        bytes.first = generator.next()
        bytes.second = generator.next()
        return bytes
    }

    @inlinable
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: self, body)
    }

    @usableFromInline
    package var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
