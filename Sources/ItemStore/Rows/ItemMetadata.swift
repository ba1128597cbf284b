import ChatelaineMemory
import ChatelaineModel

/// What the metadata seal of a row holds: its attributes, and which version of a secret belongs to them.
///
/// CBOR: [version of the secret or 0, attributes]. The version is in here, so that a secret cannot be taken away or
/// exchanged for an older one without notice, while a change of attributes alone leaves the sealed secret as it is.
struct ItemMetadata: Sendable {
    /// The row's version at the time when its secret was sealed; 0 when the item has none.
    var secretVersion: UInt64
    /// All attributes, access group and dates among them.
    var attributes: AttributeSet

    func encode() -> SecretBytes {
        var writer = CBORWriter()
        writer.writeArray(count: 2)
        writer.write(secretVersion)
        attributes.encode(to: &writer)
        return writer.finish()
    }

    init(secretVersion: UInt64, attributes: AttributeSet) {
        self.secretVersion = secretVersion
        self.attributes = attributes
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        guard try reader.readArrayCount(limit: 2) == 2 else { throw .truncated }
        secretVersion = try reader.readUnsigned()
        attributes = try AttributeSet(from: &reader)
        try reader.finish()
    }

    /// The version of the secret, and whether the attributes hold `wanted`, read without making values of them.
    ///
    /// Both are sorted by key, so that one walk does.
    static func examine(
        _ bytes: UnsafeRawBufferPointer, for wanted: AttributeSet
    ) throws(CBORError) -> (secretVersion: UInt64, isMatch: Bool) {
        var reader = CBORReader(bytes)
        guard try reader.readArrayCount(limit: 2) == 2 else { throw .truncated }
        let secretVersion = try reader.readUnsigned()
        var next = 0
        for _ in 0..<(try reader.readMapCount(limit: AttributeSet.maximumCount)) {
            guard next < wanted.entries.count else { break }
            let key = try reader.readUnsigned()
            if key < UInt64(wanted.entries[next].key.rawValue) {
                try reader.skip()
            } else if key > UInt64(wanted.entries[next].key.rawValue) {
                return (secretVersion, false)
            } else {
                guard try matches(&reader, wanted.entries[next].value) else { return (secretVersion, false) }
                next += 1
            }
        }
        return (secretVersion, next == wanted.entries.count)
    }

    /// ``AttributeValue/matches(_:)`` for a value that is still encoded.
    private static func matches(_ reader: inout CBORReader, _ wanted: AttributeValue) throws(CBORError) -> Bool {
        switch wanted {
        case .text(let text):
            guard let bytes = try readTextOrBytes(&reader) else { return false }
            return text.utf8.count == bytes.count && text.utf8.elementsEqual(bytes)
        case .data(let data):
            guard let bytes = try readTextOrBytes(&reader) else { return false }
            return data.count == bytes.count && data.elementsEqual(bytes)
        case .number, .date: return try AttributeValue(from: &reader).matches(wanted)
        }
    }

    private static func readTextOrBytes(_ reader: inout CBORReader) throws(CBORError) -> UnsafeRawBufferPointer? {
        switch try reader.peek() {
        case .bytes: return try reader.readBytes()
        case .text:
            // The encoding of a text is its head, of a length that the first byte tells, and its bytes.
            let encoded = try reader.readEncoded()
            let info = encoded[0] & 0x1F
            return UnsafeRawBufferPointer(rebasing: encoded.dropFirst(info < 24 ? 1 : 1 + (1 << Int(info - 24))))
        default:
            try reader.skip()
            return nil
        }
    }
}
