import ChatelaineModel

/// What takes a password of a file keychain, or gives it one. A ``KeychainPasswordReport`` follows, which says what came of it: a wrong password is
/// an outcome, and no failure.
///
/// Passwords come as passcodes do (``PasscodeMessage``), and may be empty. `errSecDuplicateKeychain` for a keychain that is there already,
/// `errSecInteractionNotAllowed` for one that was locked meanwhile; and what a ``KeychainCommand`` fails with.
package enum KeychainPasswordCommand: Sendable, Equatable {
    /// A new keychain, which is unlocked then.
    case create(path: String)
    /// One that is unlocked stays so, whatever the password.
    case unlock(path: String)
    /// Takes the present password of an unlocked one as well. It is unlocked then.
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

/// What came of a password.
package struct KeychainPasswordReport: Hashable, Sendable {
    package var outcome = PasscodeOutcome.done
    /// Wrong passwords of the program that asks, since the last right one.
    package var failures: UInt32 = 0
    /// Milliseconds until a password of that program is looked at.
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
    /// - Throws: `errSecAuthFailed` where a password was wrong, or not looked at.
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
