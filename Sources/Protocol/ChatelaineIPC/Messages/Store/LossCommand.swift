import ChatelaineModel

/// Shows or acknowledges the losses of a store (`security check`). The reply is the summary from before the command.
///
/// Without a path of a file keychain, the store is that of the data protection keychain. Errors:
/// `errSecInteractionNotAllowed` for a locked file keychain; otherwise those of ``KeychainCommand``.
package enum LossCommand: Sendable, Equatable {
    /// Shows what is missing, or may be, and what was set aside.
    case show(keychain: String? = nil)
    /// Records that the user knows of the losses; nothing else changes.
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
