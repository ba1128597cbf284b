extension CBORReader {
    @usableFromInline package mutating func readByte() throws(CBORError) -> UInt8 { UInt8(try readInt(in: 0...255)) }

    @usableFromInline package mutating func readBytes16() throws(CBORError) -> Bytes16 {
        guard let bytes = Bytes16(try readBytes()) else { throw .outOfRange }
        return bytes
    }

    /// Text of at most `limit` bytes.
    package mutating func readText(limit: Int) throws(CBORError) -> String {
        let text = try readText()
        guard text.utf8.count <= limit else { throw .limitExceeded }
        return text
    }
}
