import ChatelaineModel

/// Commands that need the password of a file keychain, or set it.
///
/// The reply is a ``KeychainPasswordReport`` with the outcome: a wrong password is an outcome and not a failure.
/// Passwords are sent as passcodes are (``PasscodeMessage``), and may be empty.
///
/// Errors: `errSecDuplicateKeychain` for a new keychain that exists already, `errSecInteractionNotAllowed` where the
/// keychain was locked meanwhile; and those of ``KeychainCommand``.
package enum KeychainPasswordCommand: Sendable, Equatable {
    /// Makes a new keychain, and leaves it unlocked.
    case create(path: String)
    /// Unlocks a keychain; one that is unlocked stays so, whatever the password.
    case unlock(path: String)
    /// Changes the password, and leaves the keychain unlocked. Even an unlocked keychain needs the present password.
    case change(path: String)

    package var path: String {
        switch self {
        case .create(let path), .unlock(let path), .change(let path): path
        }
    }
}

extension KeychainPasswordCommand: PasscodeMessage {
    package typealias Reply = KeychainPasswordReport

    package static let name = "a command with the password of a keychain"
    package static let needs = RequestNeeds.knownCaller
    package static let secret = GivenSecret.keychainPassword

    package var parts: [PasscodePart] {
        switch self {
        case .create: [.new]
        case .unlock: [.present]
        case .change: [.present, .new]
        }
    }

    package var operation: Operation {
        switch self {
        case .create: .createKeychain
        case .unlock: .unlockKeychain
        case .change: .changeKeychainPassword
        }
    }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        let path: String = try fields.read(RequestField.path)
        switch operation {
        case .createKeychain: self = .create(path: path)
        case .unlockKeychain: self = .unlock(path: path)
        case .changeKeychainPassword: self = .change(path: path)
        default: throw .unsupported
        }
    }
}

/// The outcome of a command with a password.
package struct KeychainPasswordReport: Hashable, Sendable {
    package var outcome = PasscodeOutcome.done
    /// Wrong passwords of the caller since the last right one.
    package var failures: UInt32 = 0
    /// Milliseconds until the next password of the caller is checked.
    package var delay: UInt64 = 0

    package init() {}
}

extension KeychainPasswordReport: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case outcome = 0
        case failures = 1
        case delay = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.outcome, outcome)
            $0.write(Field.failures, failures)
            $0.write(Field.delay, delay)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        outcome = try map.read(Field.outcome)
        failures = try map.read(Field.failures)
        delay = try map.read(Field.delay)
        reader = try map.end()
    }
}

extension KeychainPasswordReport {
    /// - Throws: `errSecAuthFailed` where a password was wrong, or was not checked.
    package func requireDone() throws(KeychainError) {
        let seconds = (delay + 999) / 1000
        switch outcome {
        case .done: return
        case .wrong:
            throw KeychainError(
                .authFailed,
                "the password is wrong" + (seconds > 0 ? "; the next one is looked at in \(seconds) s" : ""))
        case .delayed:
            throw KeychainError(
                .authFailed,
                "after wrong passwords the next one is looked at in \(seconds) s; this one does not count")
        }
    }
}
