import ChatelaineModel

private enum Field: UInt64, CBORField {
    case version = 0
    case url = 1
    case body = 2
    case seconds = 3
    case content = 4
    case failure = 5
    case ports = 6
}

extension FetchRequest: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, FetchWire.version)
            $0.write(Field.url, url)
            $0.write(Field.body, body)
            $0.write(Field.seconds, UInt64(seconds))
            $0.writeArray(Field.ports, ports.map(UInt64.init))
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == FetchWire.version else { throw .outOfRange }
        let url: String = try map.read(Field.url)
        let body: [UInt8]? = try map.readIfPresent(Field.body)
        let seconds: UInt64 = try map.read(Field.seconds)
        let ports: [UInt64] = try map.readArray(Field.ports, limit: FetchLimits.maximumPorts)
        guard ports.allSatisfy({ $0 <= UInt16.max }),
            let request = Self(
                url: url, body: body, seconds: Int(clamping: seconds),
                ports: ports.map(UInt16.init(truncatingIfNeeded:)))
        else { throw .outOfRange }
        self = request
        reader = try map.end()
    }

    /// Reads the request that is the whole of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}

extension FetchReply: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, FetchWire.version)
            switch self {
            case .content(let bytes): $0.write(Field.content, bytes)
            case .failure(let failure): $0.write(Field.failure, failure)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == FetchWire.version else { throw .outOfRange }
        if let bytes: [UInt8] = try map.readIfPresent(Field.content) {
            guard bytes.count <= FetchLimits.maximumAnswerBytes else { throw .outOfRange }
            self = .content(bytes)
        } else {
            self = .failure(try map.read(Field.failure))
        }
        reader = try map.end()
    }

    /// Reads the reply that is the whole of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
