import ChatelaineModel

/// The state of the passcode and of the keys that it protects, as far as the caller may know it.
package struct DeviceReport: Hashable, Sendable {
    package var outcome = PasscodeOutcome.done
    package var state = LockState.unlocked
    package var hasPasscode = false
    /// Whether everything in the store is sealed under keys that the passcode protects.
    ///
    /// Otherwise items from before the first passcode, or before new keys, still open with a copy of the former keybag.
    package var isProtected = false
    /// Wrong passcodes of the caller since anybody gave the right one.
    package var failures: UInt32 = 0
    /// Milliseconds until the next passcode of the caller is checked.
    package var delay: UInt64 = 0
    /// What a guess costs: KiB of memory and passes of Argon2id; 0 without a passcode.
    package var memory: UInt32 = 0
    package var passes: UInt32 = 0

    package init() {}
}

extension DeviceReport: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case outcome = 0
        case state = 1
        case hasPasscode = 2
        case isProtected = 3
        case failures = 4
        case delay = 5
        case memory = 6
        case passes = 7
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.outcome, outcome)
            $0.write(Field.state, state)
            $0.write(Field.hasPasscode, hasPasscode)
            $0.write(Field.isProtected, isProtected)
            $0.write(Field.failures, failures)
            $0.write(Field.delay, delay)
            $0.write(Field.memory, memory)
            $0.write(Field.passes, passes)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        outcome = try map.read(Field.outcome)
        state = try map.read(Field.state)
        hasPasscode = try map.read(Field.hasPasscode)
        isProtected = try map.read(Field.isProtected)
        failures = try map.read(Field.failures)
        delay = try map.read(Field.delay)
        memory = try map.read(Field.memory)
        passes = try map.read(Field.passes)
        reader = try map.end()
    }
}
