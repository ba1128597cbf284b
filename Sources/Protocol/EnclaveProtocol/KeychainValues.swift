import ChatelaineModel

/// What came of the password of a file keychain.
package struct KeychainReport: Hashable, Sendable {
    package var outcome = PasscodeOutcome.done
    /// Wrong passwords of the origin that asks, since the last right one.
    package var failures: UInt32 = 0
    /// Milliseconds until a password of that origin is looked at.
    package var delay: UInt64 = 0
    /// For the file, where there is a new one.
    package var header: KeychainHeader?
    /// Whether it was the passcode that was right, and not the password.
    package var isPasscode = false

    package init() {}
}

extension KeychainReport {
    private enum Field: UInt64, CBORField {
        case outcome = 2
        case failures = 3
        case delay = 4
        case header = 5
        case isPasscode = 6
    }

    func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.outcome, outcome)
        writer.write(Field.failures, failures)
        writer.write(Field.delay, delay)
        writer.write(Field.header, header)
        writer.write(Field.isPasscode, isPasscode)
    }

    init(fields map: inout CBORMap) throws(CBORError) {
        self.init()
        outcome = try map.read(Field.outcome)
        failures = try map.read(Field.failures)
        delay = try map.read(Field.delay)
        header = try map.readIfPresent(Field.header)
        isPasscode = try map.read(Field.isPasscode)
    }
}

/// In a message it is the bytes that the file has.
extension KeychainHeader: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(encoded) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        let bytes = try reader.readBytes()
        do throws(KeychainError) { try self.init(decoding: bytes, path: "in a message") } catch { throw .outOfRange }
    }
}

/// What is read of a descriptor that a passcode or password comes by.
package struct PasswordLimits: Sendable {
    /// What it is called where it does not keep to them.
    package var name: String
    package var bytes: ClosedRange<Int>
    /// For all that come with one request: whoever sends one has it already, and what takes longer is somebody who holds a channel.
    package var patienceMilliseconds: Int32

    package static let passcode = PasswordLimits(
        name: "passcode", bytes: 1...EnclaveWire.maximumPasscodeBytes,
        patienceMilliseconds: EnclaveWire.passcodePatienceMilliseconds)
    package static let keychain = PasswordLimits(
        name: "password", bytes: 0...EnclaveWire.maximumKeychainPasswordBytes,
        patienceMilliseconds: EnclaveWire.passcodePatienceMilliseconds)
}
