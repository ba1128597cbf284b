import ChatelaineMemory

/// Pads content before it is sealed, so that a seal reveals its length only in steps.
///
/// A byte of 0x80 follows the content, then zeros up to a multiple of the step (the padding of ISO/IEC 7816-4). The
/// steps are powers of two, and cost at most a tenth of a row. Only sealing uses this rule; opening finds the end by
/// the mark.
package enum Padding {
    static let smallestStep = 16
    /// The bytes of a row besides the padded content: identifier, digests, numbers, wrapped key, nonces, tags.
    ///
    /// Half counts for each of the row's two seals. The cost of padding is measured against it too.
    static let overheadBytes = 160
    private static let mark: UInt8 = 0x80

    /// The largest power of two up to a tenth of the content and its overhead; at least ``smallestStep``.
    static func step(for count: Int) -> Int {
        let most = (count + overheadBytes) / 10
        return most < smallestStep ? smallestStep : 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    }

    /// The padded length of a content of so many bytes; it grows with the content.
    package static func byteCount(for count: Int) -> Int {
        let step = step(for: count)
        return (count / step + 1) * step
    }

    /// The content with its padding, in secret memory.
    static func padded(_ content: SecretBytes) -> SecretBytes {
        // The new memory is zero already.
        SecretBytes(count: byteCount(for: content.count)) { buffer in
            content.withUnsafeBytes { buffer.copyMemory(from: $0) }
            buffer[content.count] = mark
        }
    }

    /// The bytes of padding at the end; nil for bytes without padding.
    static func byteCount(in padded: UnsafeRawBufferPointer) -> Int? {
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == mark else { return nil }
        return padded.count - end
    }

    /// Whether a padded content can have this length.
    static func mayEnd(at count: Int) -> Bool { count > 0 && count.isMultiple(of: smallestStep) }
}
