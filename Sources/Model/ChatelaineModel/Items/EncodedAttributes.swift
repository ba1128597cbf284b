import ChatelaineMemory

/// Attributes in their encoding, as they pass from a seal to the code that decodes them.
///
/// A daemon that passes an item on does not need single attributes. Decoding and encoding them was a third of the work
/// of a look-up. The encoding is that of ``AttributeSet``, and was checked when it arrived.
package struct EncodedAttributes: Sendable {
    private let content: SecretBytes
    private let start: Int

    package init(_ attributes: AttributeSet) {
        var writer = CBORWriter(capacity: 256)
        attributes.encode(to: &writer)
        content = writer.finish()
        start = 0
    }

    /// The attributes that `content` holds from `start` to its end, without a copy.
    ///
    /// The creator of `content` guarantees that they are well-formed; otherwise ``decoded()`` throws ``CBORError``.
    package init(restOf content: SecretBytes, from start: Int) {
        self.content = content
        self.start = min(start, content.count)
    }

    /// Reads attributes as strictly as ``AttributeSet/init(from:)`` does, and keeps their encoding.
    package init(from reader: inout CBORReader) throws(CBORError) {
        content = SecretBytes(copying: try AttributeSet.readEncoded(&reader))
        start = 0
    }

    package var byteCount: Int { content.count - start }

    /// The encoding, as a value of a message.
    package func encode(to writer: inout CBORWriter) {
        content.withUnsafeBytes { writer.appendEncoded(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    package func decoded() throws(CBORError) -> AttributeSet {
        let decoded = content.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in
                var reader = CBORReader(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                let attributes = try AttributeSet(from: &reader)
                try reader.finish()
                return attributes
            }
        }
        return try decoded.get()
    }
}
