import ChatelaineModel

/// A request of the custodian to securityd-match, which speaks to fprintd.
///
/// No other process has the channel. Every message has the number of its order.
package struct MatcherOrder: Hashable, Sendable {
    /// The numbers are on the wire.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Asks which fingers are enrolled; answered within ``MatcherWire/patienceMilliseconds``.
        case look = 1
        /// Has a finger verified; answered when a finger was read or the reader failed.
        case match = 2
        /// Withdraws the order with that number; not answered.
        case stop = 3
    }

    package var kind: Kind
    package var id: UInt64

    package init(_ kind: Kind, _ id: UInt64) { (self.kind, self.id) = (kind, id) }
}

/// A reply of securityd-match.
package struct MatcherReport: Hashable, Sendable {
    /// The numbers are on the wire.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case enrolment = 1
        /// A finger matched; with the fingers that were enrolled while securityd-match had the device.
        case matched = 2
        case notMatched = 3
        /// There is no device, the device does not answer, or nothing is enrolled.
        case failed = 4
    }

    package var kind: Kind
    package var id: UInt64
    /// nil where there is no reader; always present where a finger has matched.
    package var enrolment: FingerEnrolment?

    package init(_ kind: Kind, _ id: UInt64, _ enrolment: FingerEnrolment? = nil) {
        (self.kind, self.id, self.enrolment) = (kind, id, enrolment)
    }
}

/// The reader and a user's enrolled fingers, by fprintd's names.
package struct FingerEnrolment: Hashable, Sendable {
    package let device: String
    /// The fingers' names in ascending order, each once.
    package let fingers: [String]

    /// nil for invalid names of a device or of fingers.
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
    /// The most fingers that one person can have enrolled.
    package static let maximumFingers = 10
    /// How long a look may take in securityd-match, in milliseconds: fprintd usually has to be started for it.
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
        // A match needs an enrolled finger.
        guard kind != .matched || enrolment.map({ !$0.fingers.isEmpty }) ?? false else { throw .outOfRange }
        reader = try map.end()
    }
}

extension MatcherOrder {
    /// Reads exactly one message; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}

extension MatcherReport {
    /// Reads exactly one message; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
