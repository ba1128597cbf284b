/// One measure by which a daemon shut itself in, as it is reported.
public struct SandboxFact: Hashable, Sendable {
    /// A word such as `calls` or `files`.
    public var name: String
    /// How it is: a number of the sandbox's levels.
    public var level: UInt8
    /// How far, or why not; may be empty.
    public var detail: String

    public init(name: String, level: UInt8, detail: String) {
        self.name = name
        self.level = level
        self.detail = detail
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 3)
        writer.write(UInt64(0)); writer.write(EnclaveWire.fitting(name, limit: EnclaveWire.maximumNameBytes))
        writer.write(UInt64(1)); writer.write(UInt64(level))
        writer.write(UInt64(2)); writer.write(EnclaveWire.fitting(detail, limit: EnclaveWire.maximumReasonBytes))
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        try reader.readMap(of: 3)
        try reader.readKey(0)
        let name = try reader.readText(limit: EnclaveWire.maximumNameBytes)
        try reader.readKey(1)
        let level = try reader.readByte()
        try reader.readKey(2)
        self.init(name: name, level: level, detail: try reader.readText(limit: EnclaveWire.maximumReasonBytes))
    }
}
