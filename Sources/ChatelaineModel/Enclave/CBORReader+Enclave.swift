import ChatelaineMemory

/// Reading of maps whose shape is fixed: each key is where it must be, or the message is refused.
extension CBORReader {
    /// The head of a map of exactly `count` pairs.
    mutating func readMap(of count: Int) throws(CBORError) {
        guard try readMapCount(limit: count) == count else { throw .outOfRange }
    }

    mutating func readUInt32() throws(CBORError) -> UInt32 {
        guard let value = UInt32(exactly: try readUnsigned()) else { throw .outOfRange }
        return value
    }

    mutating func readKeyBytes() throws(CBORError) -> SecretBytes {
        let bytes = try readBytes()
        guard bytes.count == EnclaveWire.keyByteCount else { throw .outOfRange }
        return SecretBytes(copying: bytes)
    }

    /// Text of at most `limit` bytes.
    mutating func readText(limit: Int) throws(CBORError) -> String {
        let text = try readText()
        guard text.utf8.count <= limit else { throw .limitExceeded }
        return text
    }

    /// An array of at most ``EnclaveRequest/maximumBatch`` values.
    mutating func readBatch<Element>(
        _ element: (inout CBORReader) throws(CBORError) -> Element
    ) throws(CBORError) -> [Element] {
        let count = try readArrayCount(limit: EnclaveRequest.maximumBatch)
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }
}
