import ChatelaineModel

/// The wrapping of a reply frame: whether it is the last, and its piece of the reply.
public enum ReplyPiece {
    public static func encode(_ piece: UnsafeRawBufferPointer, isLast: Bool, to writer: inout CBORWriter) {
        writer.writeMap(count: 2)
        writer.write(UInt64(0))
        writer.write(isLast)
        writer.write(UInt64(1))
        writer.write(piece)
    }

    /// The piece is lent; throws ``CBORError``.
    public static func read(_ frame: UnsafeRawBufferPointer) throws -> (piece: UnsafeRawBufferPointer, isLast: Bool) {
        var reader = CBORReader(frame)
        guard try reader.readMapCount(limit: 2) == 2 else { throw CBORError.unexpectedType }
        try reader.readKey(0)
        let isLast = try reader.readBool()
        try reader.readKey(1)
        let piece = try reader.readBytes()
        try reader.finish()
        return (piece, isLast)
    }
}
