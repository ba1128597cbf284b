import ChatelaineModel

/// What the custodian asks of securityd-match, which speaks to fprintd, over a channel that nobody else has. Every message has the number of its order.
package struct MatcherOrder: Hashable, Sendable {
    /// The numbers are on the wire.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Which fingers are enrolled; answered within ``MatcherWire/patienceMilliseconds``.
        case look = 1
        /// A finger is to be verified; answered when something came of one.
        case match = 2
        /// Nobody waits for that number any more; not answered.
        case stop = 3
    }

    package var kind: Kind
    package var id: UInt64

    package init(_ kind: Kind, _ id: UInt64) { (self.kind, self.id) = (kind, id) }
}

/// What securityd-match answers.
package struct MatcherReport: Hashable, Sendable {
    /// The numbers are on the wire.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case enrolment = 1
        /// With what was enrolled while the device was ours.
        case matched = 2
        case notMatched = 3
        /// There is no device, none that answers, or nothing to match with.
        case failed = 4
    }

    package var kind: Kind
    package var id: UInt64
    /// nil where there is no reader; present where a finger has matched.
    package var enrolment: FingerEnrolment?

    package init(_ kind: Kind, _ id: UInt64, _ enrolment: FingerEnrolment? = nil) {
        (self.kind, self.id, self.enrolment) = (kind, id, enrolment)
    }
}

/// The reader and the fingers that it knows of a user, as fprintd names them.
package struct FingerEnrolment: Hashable, Sendable {
    package let device: String
    /// Ascending, each once.
    package let fingers: [String]

    /// nil for what is no name of a device or of fingers.
    package init?(device: String, fingers: [String]) {
        let names = Set(fingers).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard (1...MatcherWire.maximumNameBytes).contains(device.utf8.count), names.count == fingers.count,
            names.count <= MatcherWire.maximumFingers,
            names.allSatisfy({ (1...MatcherWire.maximumNameBytes).contains($0.utf8.count) })
        else { return nil }
        (self.device, self.fingers) = (device, names)
    }
}

package enum MatcherWire {
    /// A report with all its names.
    package static let maximumFrameBytes = 8 * 1024
    package static let maximumNameBytes = 256
    /// A person has ten.
    package static let maximumFingers = 10
    /// How long a look may take in securityd-match: fprintd has to be started for it, as a rule.
    package static let patienceMilliseconds: Int64 = 3_000
}

extension MatcherOrder.Kind: CBORValue {}
extension MatcherReport.Kind: CBORValue {}

extension MatcherOrder: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case id = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.id, id)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(try map.read(Field.kind), try map.read(Field.id))
        reader = try map.end()
    }
}

extension MatcherReport: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case id = 1
        case device = 2
        case fingers = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.id, id)
            guard let enrolment else { return }
            $0.write(Field.device, enrolment.device)
            $0.writeArray(Field.fingers, enrolment.fingers)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(try map.read(Field.kind), try map.read(Field.id))
        if try map.has(Field.device) {
            guard kind == .enrolment || kind == .matched else { throw .unsupported }
            let device = try map.reader.readText(limit: MatcherWire.maximumNameBytes)
            let fingers: [String] = try map.readArray(Field.fingers, limit: MatcherWire.maximumFingers)
            guard let enrolment = FingerEnrolment(device: device, fingers: fingers), enrolment.fingers == fingers
            else { throw .outOfRange }
            self.enrolment = enrolment
        }
        // A match of nobody's is none.
        guard kind != .matched || enrolment.map({ !$0.fingers.isEmpty }) ?? false else { throw .outOfRange }
        reader = try map.end()
    }
}

extension MatcherOrder {
    /// Exactly one message; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}

extension MatcherReport {
    /// Exactly one message; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
