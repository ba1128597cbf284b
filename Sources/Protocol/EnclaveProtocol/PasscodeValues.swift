import ChatelaineModel

/// The origin of a passcode. Attempts are counted for each origin, so that no program can make the person wait.
package enum PasscodeOrigin: Hashable, Sendable {
    /// The dialog that the daemon itself shows.
    case agent
    /// A program, by a digest of its identity that securityd makes.
    case program(Bytes16)

    /// The program on the wire; left out for the agent.
    package var program: Bytes16? {
        switch self {
        case .agent: nil
        case .program(let program): program
        }
    }

    init(program: Bytes16?) { self = program.map(PasscodeOrigin.program) ?? .agent }
}

/// The state of the passcode of a keybag.
package struct PasscodeReport: Hashable, Sendable {
    package var outcome = PasscodeOutcome.done
    package var hasPasscode = false
    package var state = LockState.unlocked
    /// Superseded keys: their rows are to be sealed again, and then the keys are to be destroyed.
    ///
    /// They were made before there was a passcode, or before new keys were asked for. Until they are destroyed, a copy
    /// of the former keybag opens their rows.
    package var supersededKeys: [UInt32] = []
    /// Wrong passcodes of the same origin since the last right one.
    package var failures: UInt32 = 0
    /// Milliseconds until the next passcode of that origin is checked.
    package var delay: UInt64 = 0
    /// What a guess costs: KiB of memory, passes and lanes of Argon2id; 0 without a passcode.
    package var memory: UInt32 = 0
    package var passes: UInt32 = 0
    package var lanes: UInt32 = 0
    /// The signature, where records were to be signed and the passcode was right.
    package var endorsement: Endorsement?
    /// Whether trust settings were among the records that were signed last. If so, records without trust settings are
    /// not those records.
    package var hasSignedTrust = false

    package init() {}
}

extension PasscodeReport: EnclaveReply {
    package static let kind = EnclaveReplyKind.passcode

    private enum Field: UInt64, CBORField {
        case outcome = 2
        case hasPasscode = 3
        case state = 4
        case supersededKeys = 5
        case failures = 6
        case delay = 7
        case memory = 8
        case passes = 9
        case lanes = 10
        case endorsement = 11
        case hasSignedTrust = 12
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.outcome, outcome)
        writer.write(Field.hasPasscode, hasPasscode)
        writer.write(Field.state, state)
        writer.writeArray(Field.supersededKeys, supersededKeys)
        writer.write(Field.failures, failures)
        writer.write(Field.delay, delay)
        writer.write(Field.memory, memory)
        writer.write(Field.passes, passes)
        writer.write(Field.lanes, lanes)
        writer.write(Field.endorsement, endorsement)
        writer.write(Field.hasSignedTrust, hasSignedTrust)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        self.init()
        outcome = try map.read(Field.outcome)
        hasPasscode = try map.read(Field.hasPasscode)
        state = try map.read(Field.state)
        supersededKeys = try map.readArray(Field.supersededKeys, limit: EnclaveWire.maximumKeys)
        failures = try map.read(Field.failures)
        delay = try map.read(Field.delay)
        memory = try map.read(Field.memory)
        passes = try map.read(Field.passes)
        lanes = try map.read(Field.lanes)
        endorsement = try map.readIfPresent(Field.endorsement)
        hasSignedTrust = try map.read(Field.hasSignedTrust)
    }
}
