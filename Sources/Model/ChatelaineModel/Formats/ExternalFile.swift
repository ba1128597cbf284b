import ChatelaineMemory

/// A file from outside, to be read.
package struct ExternalFile: Equatable, Sendable {
    /// The bytes, which may contain private keys in cleartext.
    package var bytes: SecretBytes
    /// The alleged format; unknown if there is none. A file of another format is refused.
    package var format: ExternalFormat
    package var kind: ExternalKind
    /// The passphrase in UTF-8; nil if there is none, which differs from an empty one.
    package var passphrase: SecretBytes?

    package init(
        _ bytes: SecretBytes, format: ExternalFormat = .unknown, kind: ExternalKind = .unknown,
        passphrase: SecretBytes? = nil
    ) {
        self.bytes = bytes
        self.format = format
        self.kind = kind
        self.passphrase = passphrase
    }
}

/// The content of a file.
package struct ExternalContent: Equatable, Sendable {
    package var format: ExternalFormat
    package var kind: ExternalKind
    package var items: [ExternalItem]

    package init(format: ExternalFormat, kind: ExternalKind, items: [ExternalItem]) {
        self.format = format
        self.kind = kind
        self.items = items
    }
}

/// Certificates and keys to write as a file.
package struct ExternalOrder: Equatable, Sendable {
    package var items: [ExternalItem]
    package var format: ExternalFormat
    /// Whether the file is to be text (PEM).
    package var isArmoured: Bool
    /// The passphrase in UTF-8.
    package var passphrase: SecretBytes?

    package init(
        _ items: [ExternalItem], format: ExternalFormat, isArmoured: Bool = false, passphrase: SecretBytes? = nil
    ) {
        self.items = items
        self.format = format
        self.isArmoured = isArmoured
        self.passphrase = passphrase
    }
}

extension ExternalFile: CBORValue {
    private enum Field: UInt64, CBORField {
        case bytes = 1
        case format = 2
        case kind = 3
        case passphrase = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.bytes, bytes)
            $0.write(Field.format, format)
            $0.write(Field.kind, kind)
            $0.write(Field.passphrase, passphrase)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        bytes = try map.read(Field.bytes)
        format = try map.read(Field.format)
        kind = try map.read(Field.kind)
        passphrase = try map.readIfPresent(Field.passphrase)
        guard bytes.count <= FormatLimits.maximumFileBytes,
            passphrase?.count ?? 0 <= FormatLimits.maximumPassphraseBytes
        else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension ExternalOrder: CBORValue {
    private enum Field: UInt64, CBORField {
        case items = 1
        case format = 2
        case isArmoured = 3
        case passphrase = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.writeArray(Field.items, items)
            $0.write(Field.format, format)
            $0.write(Field.isArmoured, isArmoured)
            $0.write(Field.passphrase, passphrase)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        items = try map.readArray(Field.items, limit: FormatLimits.maximumItems)
        format = try map.read(Field.format)
        isArmoured = try map.read(Field.isArmoured)
        passphrase = try map.readIfPresent(Field.passphrase)
        guard passphrase?.count ?? 0 <= FormatLimits.maximumPassphraseBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension ExternalContent: CBORValue {
    private enum Field: UInt64, CBORField {
        case format = 1
        case kind = 2
        case items = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.format, format)
            $0.write(Field.kind, kind)
            $0.writeArray(Field.items, items)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        format = try map.read(Field.format)
        kind = try map.read(Field.kind)
        items = try map.readArray(Field.items, limit: FormatLimits.maximumItems)
        reader = try map.end()
    }
}
