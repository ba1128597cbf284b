import ChatelaineModel
import ChatelaineSystem

/// The messages before the first request (`Documentation/formats/wire.md`).
///
/// The client's hello and its nonce reply each carry one descriptor. A program whose output is merely redirected to the
/// socket cannot attach one.
package enum Handshake {
    /// The version of the protocol that this code speaks.
    package static let version: UInt64 = 11
    package static let nonceByteCount = 16
    /// How many versions one hello may name.
    static let maximumVersions = 16

    private enum HelloField: UInt64, CBORField {
        case versions = 0
    }

    /// A challenge holds a nonce and the daemon's data folder, or the fields of a reply header.
    private enum ChallengeField: UInt64, CBORField {
        case status = 0
        case reason = 1
        case nonce = 2
        case device = 3
        case inode = 4
    }

    /// What the daemon sends after a hello that it understands.
    package struct Challenge: Equatable, Sendable {
        package var nonce: [UInt8]
        /// The daemon's data folder, by which a client knows whether it has reached the daemon of its own folder.
        package var dataFolder: FileIdentity

        package init(nonce: [UInt8], dataFolder: FileIdentity) {
            self.nonce = nonce
            self.dataFolder = dataFolder
        }
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

    /// Writes the server's challenge.
    package static func encode(_ challenge: Challenge, to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(ChallengeField.nonce, challenge.nonce)
            $0.write(ChallengeField.device, challenge.dataFolder.device)
            $0.write(ChallengeField.inode, challenge.dataFolder.inode)
        }
    }

    /// Reads the server's challenge, or a header with the status that ends the connection.
    package static func readChallenge(
        _ reader: inout CBORReader
    ) throws(CBORError) -> Result<Challenge, KeychainError> {
        var map = try CBORMap(reader)
        let result: Result<Challenge, KeychainError>
        if let status: Status = try map.readIfPresent(ChallengeField.status) {
            guard status != .success else { throw .outOfRange }
            result = .failure(KeychainError(status, try map.readIfPresent(ChallengeField.reason) ?? ""))
        } else {
            try map.find(ChallengeField.nonce)
            let nonce = try map.reader.readArray(count: nonceByteCount)
            let folder = FileIdentity(
                device: try map.read(ChallengeField.device), inode: try map.read(ChallengeField.inode))
            result = .success(Challenge(nonce: nonce, dataFolder: folder))
        }
        reader = try map.end()
        try reader.finish()
        return result
    }

    /// Writes the client's answer, the nonce of the challenge.
    package static func encodeNonce(_ nonce: [UInt8], to writer: inout CBORWriter) {
        writer.writeMap { $0.write(ChallengeField.nonce, nonce) }
    }

    package static func readNonce(_ reader: inout CBORReader) throws(CBORError) -> [UInt8] {
        var map = try CBORMap(reader)
        try map.find(ChallengeField.nonce)
        let nonce = try map.reader.readArray(count: nonceByteCount)
        reader = try map.end()
        try reader.finish()
        return nonce
    }
}
