import ChatelaineModel

/// The messages before the first request (`Documentation/formats/wire.md`).
///
/// Hello and nonce reply each carry one descriptor, which a program that merely has its output redirected to the
/// socket cannot attach.
public enum Handshake {
    /// Version of the protocol that this code speaks.
    public static let version: UInt64 = 3
    public static let nonceByteCount = 16
    /// Versions that one hello may name.
    static let maximumVersions = 16

    /// The client's first words: the versions it understands.
    public static func encodeHello(to writer: inout CBORWriter) {
        writer.writeMap(count: 1)
        writer.write(UInt64(0))
        writer.writeArray(count: 1)
        writer.write(version)
    }

    /// Whether a hello names a version that we speak; throws ``CBORError``.
    public static func readHello(_ reader: inout CBORReader) throws -> Bool {
        var isUnderstood = false
        try reader.readMap(limit: 1) { field, reader in
            guard field == 0 else { throw CBORError.unsupported }
            for _ in 0..<(try reader.readArrayCount(limit: maximumVersions)) {
                if try reader.readUnsigned() == version { isUnderstood = true }
            }
        }
        try reader.finish()
        return isUnderstood
    }

    /// The nonce, from the server and back again.
    public static func encodeNonce(_ nonce: [UInt8], to writer: inout CBORWriter) {
        writer.writeMap(count: 1)
        writer.write(UInt64(2))
        writer.write(nonce)
    }

    /// Throws ``CBORError``.
    public static func readNonce(_ reader: inout CBORReader) throws -> [UInt8] {
        var nonce: [UInt8]?
        try reader.readMap(limit: 1) { field, reader in
            guard field == 2 else { throw CBORError.unsupported }
            nonce = try reader.readArray(count: nonceByteCount)
        }
        try reader.finish()
        guard let nonce else { throw CBORError.unexpectedType }
        return nonce
    }

    /// The server's challenge: its nonce, or a header with the status that ends the connection.
    public static func readChallenge(_ reader: inout CBORReader) throws -> Result<[UInt8], KeychainError> {
        var nonce: [UInt8]?
        var status: Status?
        var reason = ""
        try reader.readMap(limit: 2) { field, reader in
            switch field {
            case 0: status = try Status(from: &reader)
            case 1: reason = try reader.readText()
            case 2: nonce = try reader.readArray(count: nonceByteCount)
            default: throw CBORError.unsupported
            }
        }
        try reader.finish()
        switch (nonce, status) {
        case (let nonce?, nil) where reason.isEmpty: return .success(nonce)
        case (nil, let status?) where status != .success: return .failure(KeychainError(status, reason))
        default: throw CBORError.unexpectedType
        }
    }
}
