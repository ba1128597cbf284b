import ChatelaineModel

/// What every reply begins with; the values that a request asked for follow it as a CBOR sequence (RFC 8742).
package struct ReplyHeader: Sendable {
    package var status: Status
    /// For people; empty on success.
    package var reason: String

    package init(status: Status = .success, reason: String = "") {
        self.status = status
        self.reason = reason
    }
}

extension ReplyHeader: CBORValue {
    private enum Field: UInt64, CBORField {
        case status = 0
        case reason = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.status, status)
            $0.write(Field.reason, reason.isEmpty ? nil : reason)
        }
    }

    /// A header without a status does not pass for success.
    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(status: try map.read(Field.status), reason: try map.readIfPresent(Field.reason) ?? "")
        reader = try map.end()
    }
}

extension Status: CBORValue {
    package init(from reader: inout CBORReader) throws(CBORError) {
        self.init(rawValue: Int32(try reader.readInt(in: Int(Int32.min)...Int(Int32.max))))
    }

    package func encode(to writer: inout CBORWriter) { writer.write(Int64(rawValue)) }
}
