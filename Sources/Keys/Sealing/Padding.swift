import ChatelaineMemory

/// How long a content is made before it is sealed, so that a seal tells its length in steps only.
///
/// A byte of 0x80 follows the content, and zeros up to a multiple of the step (the padding of ISO/IEC 7816-4). The steps are
/// powers of two that cost a tenth of a row at most. Only who seals needs this rule: who opens finds the end by itself.
package enum Padding {
    static let smallestStep = 16
    /// What a row takes besides what is padded (identifier, digests, numbers, wrapped key, nonces, tags), half of it for each
    /// of its two seals: what padding may cost is measured against it, too.
    static let overheadBytes = 160
    private static let mark: UInt8 = 0x80

    /// The largest power of two that is a tenth of a content of so many bytes and its overhead; at least ``smallestStep``.
    static func step(for count: Int) -> Int {
        let most = (count + overheadBytes) / 10
        return most < smallestStep ? smallestStep : 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    }

    /// The length with padding of a content of so many bytes; grows with the length of the content.
    package static func byteCount(for count: Int) -> Int {
        let step = step(for: count)
        return (count / step + 1) * step
    }

    /// The content with its padding, in secret memory.
    static func padded(_ content: SecretBytes) -> SecretBytes {
        // The memory is zeroed.
        SecretBytes(count: byteCount(for: content.count)) { buffer in
            content.withUnsafeBytes { buffer.copyMemory(from: $0) }
            buffer[content.count] = mark
        }
    }

    /// The content in front of its padding; nil for bytes that have none.
    static func content(of padded: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == mark else { return nil }
        return UnsafeRawBufferPointer(rebasing: padded[..<end])
    }

    /// Whether a content of so many bytes may have padding.
    static func mayEnd(at count: Int) -> Bool { count > 0 && count.isMultiple(of: smallestStep) }
}
