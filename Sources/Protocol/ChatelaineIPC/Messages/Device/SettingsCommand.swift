import ChatelaineModel

/// What the user has set about the device: shows it, or changes it. A ``DeviceSettings`` follows, the one after the command.
///
/// Any program of the user may ask for both; where there is a passcode, a change takes it. `errSecParam` for a time that is too long.
package enum SettingsCommand: Sendable, Equatable {
    case show
    /// Locks when all sessions of the user have been idle for so many seconds; 0 for never.
    case setIdleTimeout(UInt32)
}

extension SettingsCommand: RequestMessage {
    package typealias Reply = DeviceSettings

    package static let name = "a command about settings"
    package static let needs = RequestNeeds.knownCallerIfOpen

    package var operation: Operation {
        switch self {
        case .show: .showSettings
        case .setIdleTimeout: .setIdleTimeout
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {
        if case .setIdleTimeout(let seconds) = self { writer.write(RequestField.number, UInt64(seconds)) }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .showSettings: self = .show
        case .setIdleTimeout:
            let seconds: UInt64 = try fields.read(RequestField.number)
            guard let seconds = UInt32(exactly: seconds) else { throw .unsupported }
            self = .setIdleTimeout(seconds)
        default: throw .unsupported
        }
    }
}

/// What the user has set about the device.
package struct DeviceSettings: Sendable, Equatable {
    /// A year: beyond it nobody means a time.
    package static let longestIdleTimeout: UInt32 = 366 * 86_400

    /// Seconds after which idle sessions lock; 0 for never.
    package var idleTimeout: UInt32 = 0

    package init() {}
}

extension DeviceSettings: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case idleTimeout = 0
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap { $0.write(Field.idleTimeout, idleTimeout) }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        idleTimeout = try map.read(Field.idleTimeout)
        reader = try map.end()
    }
}
