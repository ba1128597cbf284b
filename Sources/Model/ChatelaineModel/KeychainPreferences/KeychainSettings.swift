/// When a file keychain locks by itself, as Apple's `SecKeychainSettings` says it.
package struct KeychainSettings: Hashable, Sendable {
    /// That of a new keychain, as on macOS: five minutes.
    package static let newInterval: UInt32 = 300
    /// Apple's number for a keychain that no time locks; so does every larger one.
    package static let never = UInt32(Int32.max)

    /// Seconds without use after which it locks; ``never`` or more for none.
    package var lockInterval = Self.newInterval
    /// Whether it locks when the machine goes to sleep.
    package var locksOnSleep = true

    /// Those of a new keychain, and of one whose file says nothing.
    package init() {}

    /// Nil where no time locks it. Less than a second would leave nobody the time to set another.
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
