/// The conditions under which a file keychain locks by itself, as in Apple's `SecKeychainSettings`.
package struct KeychainSettings: Hashable, Sendable {
    /// The interval of a new keychain, as on macOS: five minutes.
    package static let newInterval: UInt32 = 300
    /// Apple's number for a keychain without an interval; larger numbers mean the same.
    package static let never = UInt32(Int32.max)

    /// Seconds without use until the keychain locks; ``never`` or more for no limit.
    package var lockInterval = Self.newInterval
    /// Whether it locks when the machine goes to sleep.
    package var locksOnSleep = true

    /// The settings of a new keychain, and of one whose file has none.
    package init() {}

    /// The interval; nil if there is none.
    ///
    /// It is at least a second, so that there is time to set another.
    package var seconds: Double? { lockInterval < Self.never ? Double(max(1, lockInterval)) : nil }
}

extension KeychainSettings: CBORValue {
    private enum Field: UInt64, CBORField {
        case lockInterval = 0
        case locksOnSleep = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.lockInterval, lockInterval)
            $0.write(Field.locksOnSleep, locksOnSleep)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        lockInterval = try map.read(Field.lockInterval)
        locksOnSleep = try map.read(Field.locksOnSleep)
        reader = try map.end()
    }
}
