import ChatelaineModel

/// What any program of the user may do about the device: read its state, and lock it.
///
/// The reply is a ``DeviceReport`` with the state after the command.
package enum DeviceCommand: Sendable, Equatable {
    case state
    /// Locks the device; without a passcode nothing is locked.
    ///
    /// When the reply is sent, both daemons have wiped the keys of every class that is not open while locked.
    case lock
}

extension DeviceCommand: RequestMessage {
    package typealias Reply = DeviceReport

    package static let name = "a command about the device"
    package static let needs = RequestNeeds.openKeychain

    package var operation: Operation {
        switch self {
        case .state: .deviceState
        case .lock: .lock
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .deviceState: self = .state
        case .lock: self = .lock
        default: throw .unsupported
        }
    }
}
