import ChatelaineModel

/// What can be done about losses of the store (`security check`); the summary as it was before follows.
package enum LossCommand: Sendable, Equatable {
    /// Says what is missing, or may be, and what was set aside.
    case show
    /// Takes note that the user knows of it; nothing else changes.
    case acknowledge
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

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .showLosses: self = .show
        case .acknowledgeLosses: self = .acknowledge
        default: throw .unsupported
        }
    }
}
