import ChatelaineModel

/// Shows or changes the user's settings of the device.
///
/// The reply is a ``DeviceSettings`` with the settings after the command. Any program of the user may send the command;
/// a change needs the passcode where there is one. Error: `errSecParam` for a time that is too long.
package enum SettingsCommand: Sendable, Equatable {
    case show
    /// Sets after how many seconds without activity in any session of the user the device locks; 0 for never.
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

/// The user's settings of the device.
package struct DeviceSettings: Sendable, Equatable {
    /// A year; a longer time is a mistake.
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
