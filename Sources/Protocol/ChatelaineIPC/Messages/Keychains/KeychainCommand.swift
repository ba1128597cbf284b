import ChatelaineModel

/// What any program of the user may do about file keychains without a password. Nothing follows.
///
/// A keychain is named by its resolved path (``KeychainPath``). `errSecNoSuchKeychain`, `errSecInvalidKeychain`; `errSecParam` for a path that is
/// not resolved.
package enum KeychainCommand: Sendable, Equatable {
    /// Its keys are gone from both daemons when this is answered. One that is locked already, or not there, is no failure.
    case lock(path: String)
    /// The same of all that are unlocked.
    case lockAll
    /// Removes the file, and what is kept about it.
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
