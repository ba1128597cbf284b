import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The sealed private key of a row, with its wrapped row key.
package struct SealedKey: Sendable {
    package var rowKey: WrappedRowKey
    package var sealed: [UInt8]

    package init(rowKey: WrappedRowKey, sealed: [UInt8]) {
        self.rowKey = rowKey
        self.sealed = sealed
    }
}

/// The source of a private key for a new row, or for the next version of a row.
package enum KeySource: Sendable {
    /// The custodian makes the key; the size counts for RSA and elliptic curves.
    case generated(KeyKind, bits: UInt32)
    /// A program gives the key in its external representation.
    case brought(KeyKind, SecretBytes)
    /// The row has the key already, sealed for another place.
    case kept(SealedKey)
}

/// A private key as its row stores it, and the facts for its item.
package struct MadeKey: Sendable {
    package var classKeyID: UInt32
    package var wrapped: [UInt8]
    package var sealed: [UInt8]
    /// The constraints of the row, with the biometrics enrolled now.
    package var constraints: AccessConstraints?
    package var content: KeyContent

    package init(
        classKeyID: UInt32, wrapped: [UInt8], sealed: [UInt8], constraints: AccessConstraints?, content: KeyContent
    ) {
        (self.classKeyID, self.wrapped, self.sealed) = (classKeyID, wrapped, sealed)
        (self.constraints, self.content) = (constraints, content)
    }
}

/// The facts about a private key that its holder gives out.
package struct KeyContent: Hashable, Sendable {
    package var kind: KeyKind
    package var bits: UInt32
    package var publicBytes: [UInt8]
    /// SHA-1 of the public key; empty for a symmetric key, which has none.
    package var label: [UInt8]

    package init(kind: KeyKind, bits: UInt32, publicBytes: [UInt8], label: [UInt8]) {
        (self.kind, self.bits, self.publicBytes, self.label) = (kind, bits, publicBytes, label)
    }

    package static let labelBytes = 20
}

// MARK: Encoding

extension SealedKey: CBORValue {
    private enum Field: UInt64, CBORField {
        case rowKey = 0
        case sealed = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.rowKey, rowKey)
            $0.write(Field.sealed, sealed)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let rowKey: WrappedRowKey = try map.read(Field.rowKey)
        self.init(rowKey: rowKey, sealed: try map.read(Field.sealed))
        reader = try map.end()
    }
}

extension KeySource: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case bits = 1
        case representation = 2
        case kept = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            switch self {
            case .generated(let kind, let bits):
                $0.write(Field.kind, kind)
                $0.write(Field.bits, bits)
            case .brought(let kind, let representation):
                $0.write(Field.kind, kind)
                $0.write(Field.representation, representation)
            case .kept(let key): $0.write(Field.kept, key)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        if let kind: KeyKind = try map.readIfPresent(Field.kind) {
            if let bits: UInt32 = try map.readIfPresent(Field.bits) {
                self = .generated(kind, bits: bits)
            } else {
                self = .brought(kind, try map.read(Field.representation))
            }
        } else {
            self = .kept(try map.read(Field.kept))
        }
        reader = try map.end()
    }
}

extension KeyContent: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case bits = 1
        case publicBytes = 2
        case label = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.bits, bits)
            $0.write(Field.publicBytes, publicBytes)
            $0.write(Field.label, label)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: KeyKind = try map.read(Field.kind)
        let bits: UInt32 = try map.read(Field.bits)
        let publicBytes: [UInt8] = try map.read(Field.publicBytes)
        guard publicBytes.count <= KeyDescription.maximumPublicBytes else { throw .limitExceeded }
        try map.find(Field.label)
        let label = try map.reader.readArray(count: kind == .aes ? 0 : Self.labelBytes)
        self.init(kind: kind, bits: bits, publicBytes: publicBytes, label: label)
        reader = try map.end()
    }
}

extension MadeKey: EnclaveReply {
    package static let kind = EnclaveReplyKind.madeKey

    /// The fields after those of every reply.
    private enum Field: UInt64, CBORField {
        case classKeyID = 2
        case wrapped = 3
        case sealed = 4
        case constraints = 5
        case content = 6
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.classKeyID, classKeyID)
        writer.write(Field.wrapped, wrapped)
        writer.write(Field.sealed, sealed)
        writer.write(Field.constraints, constraints)
        writer.write(Field.content, content)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        let classKeyID: UInt32 = try map.read(Field.classKeyID)
        let wrapped: [UInt8] = try map.read(Field.wrapped)
        let sealed: [UInt8] = try map.read(Field.sealed)
        let constraints: AccessConstraints? = try map.readIfPresent(Field.constraints)
        self.init(
            classKeyID: classKeyID, wrapped: wrapped, sealed: sealed, constraints: constraints,
            content: try map.read(Field.content))
    }
}
