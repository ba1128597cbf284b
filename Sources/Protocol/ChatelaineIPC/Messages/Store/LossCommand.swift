import ChatelaineModel

/// What can be done about losses of a store (`security check`); the summary as it was before follows.
///
/// The store is the data protection keychain's where no path of a file keychain is given. Of one that is locked it is
/// `errSecInteractionNotAllowed`; otherwise it fails as a ``KeychainCommand``.
package enum LossCommand: Sendable, Equatable {
    /// Says what is missing, or may be, and what was set aside.
    case show(keychain: String? = nil)
    /// Takes note that the user knows of it; nothing else changes.
    case acknowledge(keychain: String? = nil)

    package var keychain: String? {
        switch self {
        case .show(let keychain), .acknowledge(let keychain): keychain
        }
    }
}

extension LossCommand: RequestMessage {
    package typealias Reply = LossSummary

    package static let name = "a command about losses"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation {
        switch self {
        case .show: .showLosses
        case .acknowledge: .acknowledgeLosses
        }
    }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, keychain) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        let keychain: String? = try fields.readIfPresent(RequestField.path)
        switch operation {
        case .showLosses: self = .show(keychain: keychain)
        case .acknowledgeLosses: self = .acknowledge(keychain: keychain)
        default: throw .unsupported
        }
    }
}
