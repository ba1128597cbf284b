import ChatelaineMemory
import ChatelaineModel
import Glibc

/// A PEM block (RFC 7468, RFC 1421): a label, header lines about its encryption, and the content.
struct ArmouredBlock {
    static let lineLength = 64
    /// The longest first or last line that counts; no label in use needs a third of it.
    fileprivate static let longestMark = 128

    let label: String
    /// The lines before an empty line, each with its line feed; usually empty.
    var header: [UInt8] = []
    let content: SecretBytes

    /// All blocks of a text, which may contain anything else between them.
    ///
    /// - Throws: ``FormatFailure/damaged`` for a block that does not end, or ends with another label.
    static func blocks(in text: UnsafeRawBufferPointer) throws(FormatFailure) -> [ArmouredBlock] {
        var (blocks, rest) = ([ArmouredBlock](), TextLines(text))
        while let line = rest.next() {
            guard let label = line.label(of: "BEGIN") else { continue }
            guard blocks.count < FormatLimits.maximumItems else { throw .tooManyItems }
            blocks.append(try block(label, &rest))
        }
        return blocks
    }

    /// Whether the text contains a block.
    static func isArmoured(_ text: UnsafeRawBufferPointer) -> Bool {
        var rest = TextLines(text)
        while let line = rest.next() { if line.label(of: "BEGIN") != nil { return true } }
        return false
    }

    private static func block(_ label: String, _ rest: inout TextLines) throws(FormatFailure) -> ArmouredBlock {
        var (header, start, isHeader) = ([UInt8](), rest.place, false)
        while true {
            let place = rest.place
            guard let line = rest.next() else { throw .damaged }
            if let end = line.label(of: "END") {
                guard end == label else { throw .damaged }
                let content = try Base64Text.decoded(UnsafeRawBufferPointer(rebasing: rest.text[start..<place]))
                return ArmouredBlock(label: label, header: header, content: content)
            }
            // A header exists only if the first line has a colon, as in `Proc-Type:`.
            if place == start, line.contains(UInt8(ascii: ":")) { isHeader = true }
            guard isHeader else { continue }
            start = rest.place
            if line.isEmpty {
                isHeader = false
            } else {
                header += Array(line) + [UInt8(ascii: "\n")]
                guard header.count <= maximumHeaderBytes else { throw .damaged }
            }
        }
    }

    /// In bytes: a header has two lines, and the longest initial value has 32 digits.
    private static let maximumHeaderBytes = 512

    /// A block as PEM text.
    static func text(_ label: String, _ content: SecretBytes) -> SecretBytes {
        let (head, foot) = (Array("-----BEGIN \(label)-----\n".utf8), Array("-----END \(label)-----\n".utf8))
        let body = content.withUnsafeBytes { Base64Text.encoded($0, lineLength: lineLength) }
        return .joined([SecretBytes(head), body, SecretBytes(foot)])
    }
}

/// The lines of a text, without line ends and without blanks at either end.
struct TextLines {
    let text: UnsafeRawBufferPointer
    /// The offset of the next line.
    private(set) var place = 0
    /// The offset of the next line feed at or after ``place``, kept so that it is searched only once.
    private var feed = -1

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    private func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        guard start < end, let base = text.baseAddress, let found = memchr(base + start, Int32(byte), end - start)
        else {
            return end
        }
        return UnsafeRawPointer(found) - base
    }

    mutating func next() -> Slice<UnsafeRawBufferPointer>? {
        guard place < text.count else { return nil }
        let start = place
        if feed < start { feed = first(0x0A, from: start, to: text.count) }
        let end = first(0x0D, from: start, to: feed)
        // A carriage return and a line feed end a single line.
        place = min(text.count, end < feed && end + 1 == feed ? end + 2 : end + 1)
        var line = text[start..<end]
        while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
        while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
        return line
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The label of `-----BEGIN LABEL-----`; nil for any other line.
    fileprivate func label(of word: String) -> String? {
        let (head, foot) = (Array("-----\(word) ".utf8), Array("-----".utf8))
        guard count > head.count + foot.count, count <= ArmouredBlock.longestMark, starts(with: head),
            suffix(foot.count).elementsEqual(foot)
        else { return nil }
        let label = dropFirst(head.count).dropLast(foot.count)
        return label.allSatisfy { 0x20...0x7E ~= $0 } ? String(decoding: label, as: UTF8.self) : nil
    }
}

extension SecretBytes {
    static func joined(_ parts: [SecretBytes]) -> SecretBytes {
        SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { bytes in
            var place = 0
            for part in parts {
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[place...])
                part.withUnsafeBytes { rest.copyMemory(from: $0) }
                place += part.count
            }
        }
    }
}
