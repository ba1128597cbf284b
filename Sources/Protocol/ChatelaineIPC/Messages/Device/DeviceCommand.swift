import ChatelaineModel

/// What any program of the user may do about the device: see how it stands, and lock it. A ``DeviceReport`` follows, the one after the
/// command.
package enum DeviceCommand: Sendable, Equatable {
    case state
    /// The keys of every class that is not open while locked are gone from both daemons when this is answered. Without a passcode
    /// nothing is locked.
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
