import ChatelaineModel

/// The outcome of a password of a file keychain.
package struct KeychainReport: Hashable, Sendable {
    package var outcome = PasscodeOutcome.done
    /// Wrong passwords of the same origin since the last right one.
    package var failures: UInt32 = 0
    /// Milliseconds until the next password of that origin is checked.
    package var delay: UInt64 = 0
    /// The new header for the file, where there is one.
    package var header: KeychainHeader?
    /// Whether the right secret was the passcode rather than the password.
    package var isPasscode = false

    package init() {}
}

extension KeychainReport: EnclaveReply {
    package static let kind = EnclaveReplyKind.keychain

    private enum Field: UInt64, CBORField {
        case outcome = 2
        case failures = 3
        case delay = 4
        case header = 5
        case isPasscode = 6
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.outcome, outcome)
        writer.write(Field.failures, failures)
        writer.write(Field.delay, delay)
        writer.write(Field.header, header)
        writer.write(Field.isPasscode, isPasscode)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        self.init()
        outcome = try map.read(Field.outcome)
        failures = try map.read(Field.failures)
        delay = try map.read(Field.delay)
        header = try map.readIfPresent(Field.header)
        isPasscode = try map.read(Field.isPasscode)
    }
}

/// In a message, a header is the bytes of the file.
extension KeychainHeader: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(encoded) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        let bytes = try reader.readBytes()
        do throws(KeychainError) { try self.init(decoding: bytes, path: "in a message") } catch { throw .outOfRange }
    }
}

/// Limits for reading a passcode or password from a descriptor.
package struct PasswordLimits: Sendable {
    /// The word for the secret in an error.
    package var name: String
    package var bytes: ClosedRange<Int>
    /// The time for all secrets of one request. Their sender has them already, so a longer wait means that somebody
    /// blocks a channel.
    package var patienceMilliseconds: Int32

    package static let passcode = PasswordLimits(
        name: "passcode", bytes: 1...EnclaveWire.maximumPasscodeBytes,
        patienceMilliseconds: EnclaveWire.passcodePatienceMilliseconds)
    package static let keychain = PasswordLimits(
        name: "password", bytes: 0...EnclaveWire.maximumKeychainPasswordBytes,
        patienceMilliseconds: EnclaveWire.passcodePatienceMilliseconds)
}
