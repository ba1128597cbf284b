import ChatelaineModel

/// What a person gives the password for, in a dialog of the daemon's. No password goes over this connection, and nothing follows.
///
/// `errSecInteractionNotAllowed` where nobody can be asked, `errSecUserCanceled`, `errSecAuthFailed`; and what a ``KeychainPasswordCommand`` fails with.
package enum KeychainQuestion: Sendable, Equatable {
    /// A new keychain, which is unlocked then.
    case create(path: String)
    /// One that is unlocked stays so, and nobody is asked.
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
