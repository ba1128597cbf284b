extension EnclaveRequest {
    /// Numbers of the kinds on the wire; they never change meaning. 2 to 5 and 9 were those that named no store.
    enum Kind: UInt64 {
        case openStore = 1
        case report = 6
        case openChannel = 7
        case sandbox = 8
        case metadataKeyForSealing = 10
        case metadataKey = 11
        case createRowKeys = 12
        case openRowKeys = 13
        case noteMark = 14
        case closeStore = 15

        /// Pairs in a message of this kind, kind and id included.
        var pairs: Int {
            switch self {
            case .openStore, .metadataKeyForSealing, .metadataKey, .createRowKeys, .openRowKeys: 4
            case .noteMark, .closeStore: 3
            case .report, .openChannel, .sandbox: 2
            }
        }
    }

    var kind: Kind {
        switch self {
        case .openStore: .openStore
        case .metadataKeyForSealing: .metadataKeyForSealing
        case .metadataKey: .metadataKey
        case .createRowKeys: .createRowKeys
        case .openRowKeys: .openRowKeys
        case .report: .report
        case .openChannel: .openChannel
        case .sandbox: .sandbox
        case .noteMark: .noteMark
        case .closeStore: .closeStore
        }
    }
}

extension EnclaveEnvelope where Payload == EnclaveRequest {
    /// Writes one CBOR map.
    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: payload.kind.pairs)
        writer.write(UInt64(0)); writer.write(payload.kind.rawValue)
        writer.write(UInt64(1)); writer.write(id)
        if let store = payload.store { writer.write(UInt64(2)); writer.write(store.value) }
        switch payload {
        case .openStore(_, let isEmpty):
            writer.write(UInt64(3)); writer.write(isEmpty)
        case .metadataKeyForSealing(let accessibility, _):
            writer.write(UInt64(3)); writer.write(UInt64(accessibility.rawValue))
        case .metadataKey(let id, _):
            writer.write(UInt64(3)); writer.write(UInt64(id))
        case .createRowKeys(let contexts, _):
            writer.write(UInt64(3)); writer.writeArray(count: contexts.count)
            for context in contexts { context.encode(to: &writer) }
        case .openRowKeys(let keys, _):
            writer.write(UInt64(3)); writer.writeArray(count: keys.count)
            for key in keys { key.encode(to: &writer) }
        case .noteMark, .closeStore, .report, .openChannel, .sandbox: break
        }
    }

    /// Exactly one message; anything else is refused.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        let pairs = try reader.readMapCount(limit: EnclaveRequest.Kind.openStore.pairs)
        try reader.readKey(0)
        guard let kind = EnclaveRequest.Kind(rawValue: try reader.readUnsigned()), pairs == kind.pairs else {
            throw .outOfRange
        }
        try reader.readKey(1)
        let id = try reader.readUnsigned()
        let payload: EnclaveRequest
        switch kind {
        case .report: payload = .report
        case .openChannel: payload = .openChannel
        case .sandbox: payload = .sandbox
        default:
            try reader.readKey(2)
            payload = try Self.request(of: kind, about: try reader.readIdentifier(), &reader)
        }
        try reader.finish()
        self.init(id: id, payload: payload)
    }

    private static func request(
        of kind: EnclaveRequest.Kind, about store: ItemIdentifier, _ reader: inout CBORReader
    ) throws(CBORError) -> EnclaveRequest {
        if kind.pairs > 3 { try reader.readKey(3) }
        switch kind {
        case .openStore: return .openStore(store, isEmpty: try reader.readBool())
        case .metadataKeyForSealing:
            return .metadataKeyForSealing(try reader.readCase(Accessibility.self), in: store)
        case .metadataKey: return .metadataKey(id: try reader.readUInt32(), in: store)
        case .createRowKeys:
            return .createRowKeys(
                try reader.readBatch { (reader) throws(CBORError) in try RowContext(from: &reader) }, in: store)
        case .openRowKeys:
            return .openRowKeys(
                try reader.readBatch { (reader) throws(CBORError) in try WrappedRowKey(from: &reader) }, in: store)
        case .noteMark: return .noteMark(store)
        case .closeStore: return .closeStore(store)
        case .report, .openChannel, .sandbox: throw .outOfRange
        }
    }
}
