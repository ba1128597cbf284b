import ChatelaineMemory

/// Attributes in their encoding, as they pass from a seal to the code that decodes them.
///
/// A daemon that passes an item on does not need single attributes. Decoding and encoding them was a third of the work
/// of a look-up. The encoding is that of ``AttributeSet``, and was checked when it arrived.
package struct EncodedAttributes: Sendable {
    private let content: SecretBytes

    package init(_ attributes: AttributeSet) {
        var writer = CBORWriter(capacity: 256)
        attributes.encode(to: &writer)
        content = writer.finish()
    }

    /// Copies an encoding.
    ///
    /// Whoever has it guarantees that it is well-formed; otherwise ``decoded()`` throws ``CBORError``.
    package init(copying encoding: UnsafeRawBufferPointer) { content = SecretBytes(copying: encoding) }

    /// Reads attributes as strictly as ``AttributeSet/init(from:)`` does, and keeps their encoding.
    package init(from reader: inout CBORReader) throws(CBORError) {
        content = SecretBytes(copying: try AttributeSet.readEncoded(&reader))
    }

    package var byteCount: Int { content.count }

    /// The encoding, as a value of a message.
    package func encode(to writer: inout CBORWriter) {
        content.withUnsafeBytes { writer.appendEncoded($0) }
    }

    package func decoded() throws(CBORError) -> AttributeSet {
        let decoded = content.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in try Self.decoded(bytes) }
        }
        return try decoded.get()
    }

    /// The attributes of an encoding.
    package static func decoded(_ encoding: UnsafeRawBufferPointer) throws(CBORError) -> AttributeSet {
        var reader = CBORReader(encoding)
        let attributes = try AttributeSet(from: &reader)
        try reader.finish()
        return attributes
    }
}
