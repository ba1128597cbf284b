import ChatelaineModel

/// What every reply begins with; the values that a request asked for follow it as a CBOR sequence (RFC 8742).
public struct ReplyHeader: Sendable {
    public var status: Status
    /// For people; empty on success.
    public var reason: String

    public init(status: Status = .success, reason: String = "") {
        self.status = status
        self.reason = reason
    }

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: reason.isEmpty ? 1 : 2)
        writer.write(UInt64(0))
        writer.write(Int64(status.rawValue))
        if !reason.isEmpty {
            writer.write(UInt64(1))
            writer.write(reason)
        }
    }

    /// Throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        self.init()
        var hasStatus = false
        try reader.readMap(limit: 2) { field, reader in
            switch field {
            case 0:
                status = try Status(from: &reader)
                hasStatus = true
            case 1: reason = try reader.readText()
            default: throw CBORError.unsupported
            }
        }
        // A header without a status must not pass for success.
        guard hasStatus else { throw CBORError.unexpectedType }
    }
}

extension Status {
    init(from reader: inout CBORReader) throws(CBORError) {
        self.init(rawValue: Int32(try reader.readInt(in: Int(Int32.min)...Int(Int32.max))))
    }
}
