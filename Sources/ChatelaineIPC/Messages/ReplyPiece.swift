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
        var isLast: Bool?
        var piece: UnsafeRawBufferPointer?
        try reader.readMap(limit: 2) { field, reader in
            switch field {
            case 0: isLast = try reader.readBool()
            case 1: piece = try reader.readBytes()
            default: throw CBORError.unsupported
            }
        }
        try reader.finish()
        guard let isLast, let piece else { throw CBORError.unexpectedType }
        return (piece, isLast)
    }
}
