import ChatelaineModel

/// Has a person give the password of a file keychain in a dialog of the daemon. The reply is empty.
///
/// No password goes over this connection. Errors: `errSecInteractionNotAllowed` where nobody can be asked,
/// `errSecUserCanceled`, `errSecAuthFailed`; and those of ``KeychainPasswordCommand``.
package enum KeychainQuestion: Sendable, Equatable {
    /// Makes a new keychain, and leaves it unlocked.
    case create(path: String)
    /// Unlocks a keychain; for one that is unlocked nobody is asked.
    case unlock(path: String)

    package var path: String {
        switch self {
        case .create(let path), .unlock(let path): path
        }
    }
}

extension KeychainQuestion: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "a question for the password of a keychain"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation {
        switch self {
        case .create: .askForNewKeychain
        case .unlock: .askToUnlockKeychain
        }
    }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        let path: String = try fields.read(RequestField.path)
        switch operation {
        case .askForNewKeychain: self = .create(path: path)
        case .askToUnlockKeychain: self = .unlock(path: path)
        default: throw .unsupported
        }
    }
}
