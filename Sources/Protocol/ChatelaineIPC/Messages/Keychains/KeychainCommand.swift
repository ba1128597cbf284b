import ChatelaineModel

/// What any program of the user may do with file keychains without a password. The reply is empty.
///
/// A keychain is named by its resolved path (``KeychainPath``). Errors: `errSecNoSuchKeychain`,
/// `errSecInvalidKeychain`; `errSecParam` for a path that is not resolved.
package enum KeychainCommand: Sendable, Equatable {
    /// Locks a keychain. A keychain that is locked already, or missing, is no failure.
    ///
    /// When the reply is sent, both daemons have wiped the keychain's keys.
    case lock(path: String)
    /// Locks all unlocked keychains in the same way.
    case lockAll
    /// Removes the keychain's file and what is stored about it.
    case delete(path: String)
}

extension KeychainCommand: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "a command about a keychain"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation {
        switch self {
        case .lock: .lockKeychain
        case .lockAll: .lockAllKeychains
        case .delete: .deleteKeychain
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {
        switch self {
        case .lock(let path), .delete(let path): writer.write(RequestField.path, path)
        case .lockAll: break
        }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .lockKeychain: self = .lock(path: try fields.read(RequestField.path))
        case .lockAllKeychains: self = .lockAll
        case .deleteKeychain: self = .delete(path: try fields.read(RequestField.path))
        default: throw .unsupported
        }
    }
}
