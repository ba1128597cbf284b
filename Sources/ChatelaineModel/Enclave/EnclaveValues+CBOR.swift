import ChatelaineMemory

extension WrappedRowKey {
    func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 3)
        writer.write(UInt64(0)); writer.write(UInt64(classKeyID))
        writer.write(UInt64(1)); writer.write(wrapped)
        writer.write(UInt64(2)); context.encode(to: &writer)
    }

    /// The wrapping may have any length: a damaged one is a failure of that key, not of the message.
    init(from reader: inout CBORReader) throws(CBORError) {
        try reader.readMap(of: 3)
        try reader.readKey(0)
        let classKeyID = try reader.readUInt32()
        try reader.readKey(1)
        let wrapped = try reader.readArray()
        try reader.readKey(2)
        self.init(classKeyID: classKeyID, wrapped: wrapped, context: try RowContext(from: &reader))
    }
}

extension NewRowKey {
    func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 3)
        writer.write(UInt64(0)); writer.write(UInt64(classKeyID))
        writer.write(UInt64(1)); writer.write(key)
        writer.write(UInt64(2)); writer.write(wrapped)
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        try reader.readMap(of: 3)
        try reader.readKey(0)
        let classKeyID = try reader.readUInt32()
        try reader.readKey(1)
        let key = try reader.readKeyBytes()
        try reader.readKey(2)
        self.init(classKeyID: classKeyID, key: key, wrapped: try reader.readArray())
    }
}

extension KeychainError {
    /// Three pairs of the map that the caller announced: status, reason and cause, under `key` and the keys after it.
    func encodePairs(from key: UInt64, to writer: inout CBORWriter) {
        writer.write(key); writer.write(Int64(status.rawValue))
        writer.write(key + 1)
        writer.write(EnclaveWire.fitting(reason, limit: EnclaveWire.maximumReasonBytes))
        writer.write(key + 2); writer.write(UInt64(cause.rawValue))
    }

    init(pairsFrom key: UInt64, in reader: inout CBORReader) throws(CBORError) {
        try reader.readKey(key)
        guard let status = Int32(exactly: try reader.readInteger()), status != Status.success.rawValue else {
            throw .outOfRange
        }
        try reader.readKey(key + 1)
        let reason = try reader.readText(limit: EnclaveWire.maximumReasonBytes)
        try reader.readKey(key + 2)
        self.init(cause: try reader.readCase(Cause.self), status: Status(rawValue: status), reason)
    }
}
