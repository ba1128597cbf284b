import ChatelaineMemory
import ChatelaineModel
import Glibc

/// The contents of a row's metadata seal: its attributes, the version of its secret, and the constraints on its use.
///
/// The encoding is a CBOR array:
/// - [version of the secret or 0, attributes],
/// - [version, constraints, attributes],
/// - of an item in a file keychain: [version, constraints or null, access object, attributes],
/// - of a key: [version, constraints or null, access object or null, key, attributes],
/// - of a certificate in a file keychain: [version, null, null, null, DER, attributes].
///
/// The version reveals that a secret was removed or replaced by an older one. A change of attributes alone leaves the
/// sealed secret as it is.
struct ItemMetadata: Sendable {
    /// The row's version when its secret was sealed; 0 for an item without a secret.
    var secretVersion: UInt64
    /// The constraints on the item's use, nil for nearly all items; a look-up reads them without reading the
    /// attributes.
    var constraints: AccessConstraints?
    /// The access object of an item in a file keychain, as ``AccessObject/encoding``.
    var access: [UInt8]?
    /// The description of a private or public key.
    var key: KeyDescription?
    /// The DER of a certificate in a file keychain; it is no secret, and is readable while the keychain is locked.
    var certificate: [UInt8]?
    /// All attributes, access group and dates among them.
    var attributes: AttributeSet

    func encode() -> SecretBytes {
        var writer = CBORWriter()
        let count = certificate != nil ? 6 : key != nil ? 5 : access != nil ? 4 : constraints == nil ? 2 : 3
        writer.writeArray(count: count)
        writer.write(secretVersion)
        if let constraints { constraints.encode(to: &writer) } else if count > 3 { writer.writeNull() }
        if let access { writer.write(access) } else if count > 4 { writer.writeNull() }
        if let key { key.encode(to: &writer) } else if count > 5 { writer.writeNull() }
        if let certificate { writer.write(certificate) }
        attributes.encode(to: &writer)
        return writer.finish()
    }

    init(
        secretVersion: UInt64, constraints: AccessConstraints? = nil, access: [UInt8]? = nil,
        key: KeyDescription? = nil, certificate: [UInt8]? = nil, attributes: AttributeSet
    ) {
        self.secretVersion = secretVersion
        self.constraints = constraints
        self.access = access
        self.key = key
        self.certificate = certificate
        self.attributes = attributes
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        let head = try Self.readHead(&reader)
        (secretVersion, constraints, access) = (head.secretVersion, head.constraints, head.access.map { [UInt8]($0) })
        (key, certificate) = (head.key, head.certificate.map { [UInt8]($0) })
        attributes = try AttributeSet(from: &reader)
        try reader.finish()
    }

    private struct Head {
        let secretVersion: UInt64
        var constraints: AccessConstraints?
        /// The encoding of the access object, lent by the reader.
        var access: UnsafeRawBufferPointer?
        var key: KeyDescription?
        /// The DER of a certificate, lent by the reader.
        var certificate: UnsafeRawBufferPointer?
    }

    /// Reads the fields before the attributes.
    private static func readHead(_ reader: inout CBORReader) throws(CBORError) -> Head {
        let count = try reader.readArrayCount(limit: 6)
        guard count >= 2 else { throw .unexpectedType }
        var head = Head(secretVersion: try reader.readUnsigned())
        if count == 3 { head.constraints = try AccessConstraints(from: &reader) }
        guard count >= 4 else { return head }
        if try !reader.readNull() { head.constraints = try AccessConstraints(from: &reader) }
        guard count > 4 else {
            head.access = try reader.readBytes()
            return head
        }
        if try !reader.readNull() { head.access = try reader.readBytes() }
        guard count > 5 else {
            head.key = try KeyDescription(from: &reader)
            return head
        }
        if try !reader.readNull() { head.key = try KeyDescription(from: &reader) }
        head.certificate = try reader.readBytes()
        return head
    }

    /// The result of ``examine(_:for:group:takesCertificate:)``.
    struct Finding {
        let secretVersion: UInt64
        let constraints: AccessConstraints?
        let access: [UInt8]?
        let key: KeyDescription?
        let certificate: [UInt8]?
        /// The offset of the encoded attributes, which end with the contents.
        let attributesOffset: Int
        let isMatch: Bool
    }

    /// Whether the attributes hold `wanted` and, where it is given, the access group; decodes no attributes.
    ///
    /// Both are sorted by key, so that one walk suffices.
    ///
    /// - Parameter takesCertificate: whether the bytes of a certificate are copied.
    static func examine(
        _ bytes: UnsafeRawBufferPointer, for wanted: AttributeDemand, group: AccessGroup?, takesCertificate: Bool
    ) throws(CBORError) -> Finding {
        var reader = CBORReader(bytes)
        let head = try readHead(&reader)
        let attributesOffset = reader.offset
        func finding(_ isMatch: Bool) -> Finding {
            Finding(
                secretVersion: head.secretVersion, constraints: head.constraints,
                access: isMatch ? head.access.map { [UInt8]($0) } : nil, key: head.key,
                certificate: isMatch && takesCertificate ? head.certificate.map { [UInt8]($0) } : nil,
                attributesOffset: attributesOffset, isMatch: isMatch)
        }
        let entries = wanted.attributes.entries
        var next = 0
        var isGroupMissing = group != nil
        for _ in 0..<(try reader.readMapCount(limit: AttributeSet.maximumCount)) {
            guard next < entries.count || isGroupMissing else { break }
            let key = try reader.readUnsigned()
            if next < entries.count, key > UInt64(entries[next].key.rawValue) { return finding(false) }
            if let group, key == UInt64(AttributeKey.accessGroup.rawValue) {
                guard try matches(&reader, .text(group.text)) else { return finding(false) }
                isGroupMissing = false
            } else if next < entries.count, key == UInt64(entries[next].key.rawValue) {
                guard try matches(&reader, entries[next].value, wanted.text(at: next)) else { return finding(false) }
                next += 1
            } else {
                try reader.skip()
            }
        }
        return finding(next == entries.count && !isGroupMissing)
    }

    /// Whether an encoded value satisfies a demand, as ``AttributeDemand/isSatisfied(by:)`` does for values.
    private static func matches(
        _ reader: inout CBORReader, _ wanted: AttributeValue, _ folded: FoldedText? = nil
    ) throws(CBORError) -> Bool {
        if let folded, try reader.peek() == .text { return folded.matches(try reader.readTextBytes()) }
        switch wanted {
        case .text(var text):
            guard let bytes = try readTextOrBytes(&reader) else { return false }
            return text.withUTF8 { isSame(UnsafeRawBufferPointer($0), bytes) }
        case .data(let data):
            guard let bytes = try readTextOrBytes(&reader) else { return false }
            return data.withUnsafeBytes { isSame($0, bytes) }
        case .number, .date: return try AttributeValue(from: &reader).matches(wanted)
        }
    }

    private static func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
            return left.count == right.count
        }
        // SAFETY: both buffers hold as many bytes.
        return memcmp(start, other, left.count) == 0
    }

    private static func readTextOrBytes(_ reader: inout CBORReader) throws(CBORError) -> UnsafeRawBufferPointer? {
        switch try reader.peek() {
        case .bytes: return try reader.readBytes()
        case .text: return try reader.readTextBytes()
        default:
            try reader.skip()
            return nil
        }
    }
}
