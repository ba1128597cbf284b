import ChatelaineModel

/// The messages before the first request (`Documentation/formats/wire.md`).
///
/// The client's hello and its nonce reply each carry one descriptor. A program whose output is merely redirected to the
/// socket cannot attach one.
package enum Handshake {
    /// The version of the protocol that this code speaks.
    package static let version: UInt64 = 10
    package static let nonceByteCount = 16
    /// How many versions one hello may name.
    static let maximumVersions = 16

    private enum HelloField: UInt64, CBORField {
        case versions = 0
    }

    /// A challenge holds a nonce, or the fields of a reply header.
    private enum ChallengeField: UInt64, CBORField {
        case status = 0
        case reason = 1
        case nonce = 2
    }

    /// Writes the client's hello: the versions that it understands.
    package static func encodeHello(to writer: inout CBORWriter) {
        writer.writeMap { $0.writeArray(HelloField.versions, [version]) }
    }

    /// Whether a hello names a version that we speak.
    package static func readHello(_ reader: inout CBORReader) throws(CBORError) -> Bool {
        var map = try CBORMap(reader)
        let versions: [UInt64] = try map.readArray(HelloField.versions, limit: maximumVersions)
        reader = try map.end()
        try reader.finish()
        return versions.contains(version)
    }

    /// Writes the nonce; the server sends it and the client returns it.
    package static func encodeNonce(_ nonce: [UInt8], to writer: inout CBORWriter) {
        writer.writeMap { $0.write(ChallengeField.nonce, nonce) }
    }

    package static func readNonce(_ reader: inout CBORReader) throws(CBORError) -> [UInt8] {
        guard case .success(let nonce) = try readChallenge(&reader) else { throw .missingField }
        return nonce
    }

    /// Reads the server's challenge: its nonce, or a header with the status that ends the connection.
    package static func readChallenge(
        _ reader: inout CBORReader
    ) throws(CBORError) -> Result<[UInt8], KeychainError> {
        var map = try CBORMap(reader)
        let result: Result<[UInt8], KeychainError>
        if let status: Status = try map.readIfPresent(ChallengeField.status) {
            guard status != .success else { throw .outOfRange }
            result = .failure(KeychainError(status, try map.readIfPresent(ChallengeField.reason) ?? ""))
        } else {
            try map.find(ChallengeField.nonce)
            result = .success(try map.reader.readArray(count: nonceByteCount))
        }
        reader = try map.end()
        try reader.finish()
        return result
    }
}
