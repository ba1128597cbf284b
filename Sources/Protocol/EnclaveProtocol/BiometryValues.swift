import ChatelaineModel

/// The state of biometrics for the person who owns the store.
package struct BiometryReport: Hashable, Sendable {
    package var availability: BiometryAvailability
    /// nil where there is no reader.
    package var kind: BiometryKind?
    /// A digest of all enrolled biometrics, which changes with each enrolment; nil where none are enrolled.
    package var enrolledSet: Bytes16?

    package init(_ availability: BiometryAvailability, kind: BiometryKind? = nil, enrolledSet: Bytes16? = nil) {
        self.availability = availability
        self.kind = kind
        self.enrolledSet = enrolledSet
    }
}

/// The outcome of a request for a biometric. The numbers are on the wire.
package enum MatchOutcome: UInt8, CaseIterable, Sendable {
    /// The biometric is the person's, and the context records it.
    case matched = 1
    /// The biometric belongs to nobody who is enrolled; the attempt is counted.
    case notMatched = 2
    /// Biometrics are not checked until the right passcode is given.
    case lockedOut = 3
    /// There is no reader or enrolment, or the reader failed.
    case unavailable = 4
    /// The caller waits no longer.
    case withdrawn = 5
}

package struct MatchReport: Hashable, Sendable {
    package var outcome: MatchOutcome
    /// How many further attempts may fail before the passcode is needed.
    package var triesLeft: UInt32

    package init(_ outcome: MatchOutcome, triesLeft: UInt32 = 0) {
        self.outcome = outcome
        self.triesLeft = triesLeft
    }
}

extension MatchOutcome: CBORValue {}

extension BiometryReport: EnclaveReply {
    package static let kind = EnclaveReplyKind.biometry

    private enum Field: UInt64, CBORField {
        case availability = 2
        case kind = 3
        case enrolledSet = 4
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.availability, availability)
        writer.write(Field.kind, kind)
        writer.write(Field.enrolledSet, enrolledSet)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        self.init(
            try map.read(Field.availability), kind: try map.readIfPresent(Field.kind),
            enrolledSet: try map.readIfPresent(Field.enrolledSet))
    }
}

extension MatchReport: EnclaveReply {
    package static let kind = EnclaveReplyKind.match

    private enum Field: UInt64, CBORField {
        case outcome = 2
        case triesLeft = 3
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(Field.outcome, outcome)
        writer.write(Field.triesLeft, triesLeft)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        self.init(try map.read(Field.outcome), triesLeft: try map.read(Field.triesLeft))
    }
}
