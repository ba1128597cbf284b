import ChatelaineModel

/// One measure of a daemon's sandbox, as it is reported.
package struct SandboxFact: Hashable, Sendable {
    /// A word such as `calls` or `files`.
    package var name: String
    /// The state of the measure: a number of the sandbox's levels.
    package var level: UInt8
    /// How far the measure reaches, or why it is missing; may be empty.
    package var detail: String

    package init(name: String, level: UInt8, detail: String) {
        self.name = name
        self.level = level
        self.detail = detail
    }
}

extension SandboxFact: CBORValue, EnclaveReplyElement {
    package static let replyKind = EnclaveReplyKind.sandbox

    private enum Field: UInt64, CBORField {
        case name = 0
        case level = 1
        case detail = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.name, EnclaveWire.fitting(name, limit: EnclaveWire.maximumNameBytes))
            $0.write(Field.level, UInt64(level))
            $0.write(Field.detail, EnclaveWire.fitting(detail, limit: EnclaveWire.maximumReasonBytes))
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try map.find(Field.name)
        let name = try map.reader.readText(limit: EnclaveWire.maximumNameBytes)
        try map.find(Field.level)
        let level = try map.reader.readByte()
        try map.find(Field.detail)
        self.init(
            name: name, level: level, detail: try map.reader.readText(limit: EnclaveWire.maximumReasonBytes))
        reader = try map.end()
    }
}
