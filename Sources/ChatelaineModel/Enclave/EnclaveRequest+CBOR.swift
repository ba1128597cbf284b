extension EnclaveRequest {
    /// Numbers of the kinds on the wire; they never change meaning.
    enum Kind: UInt64 {
        case openStore = 1
        case metadataKeyForSealing = 2
        case metadataKey = 3
        case createRowKeys = 4
        case openRowKeys = 5
        case report = 6
        case openChannel = 7
        case sandbox = 8
        case noteMark = 9

        /// Pairs in a message of this kind, kind and id included.
        var pairs: Int {
            switch self {
            case .openStore: 4
            case .metadataKeyForSealing, .metadataKey, .createRowKeys, .openRowKeys: 3
            case .report, .openChannel, .sandbox, .noteMark: 2
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
        }
    }
}

extension EnclaveEnvelope where Payload == EnclaveRequest {
    /// Writes one CBOR map.
    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: payload.kind.pairs)
        writer.write(UInt64(0)); writer.write(payload.kind.rawValue)
        writer.write(UInt64(1)); writer.write(id)
        switch payload {
        case .openStore(let store, let isEmpty):
            writer.write(UInt64(2)); writer.write(store.bytes)
            writer.write(UInt64(3)); writer.write(isEmpty)
        case .metadataKeyForSealing(let accessibility):
            writer.write(UInt64(2)); writer.write(UInt64(accessibility.rawValue))
        case .metadataKey(let id):
            writer.write(UInt64(2)); writer.write(UInt64(id))
        case .createRowKeys(let contexts):
            writer.write(UInt64(2)); writer.writeArray(count: contexts.count)
            for context in contexts { context.encode(to: &writer) }
        case .openRowKeys(let keys):
            writer.write(UInt64(2)); writer.writeArray(count: keys.count)
            for key in keys { key.encode(to: &writer) }
        case .report, .openChannel, .sandbox, .noteMark: break
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
        if pairs > 2 { try reader.readKey(2) }
        let payload: EnclaveRequest
        switch kind {
        case .openStore:
            let store: StoreIdentifier = try reader.readIdentifier()
            try reader.readKey(3)
            payload = .openStore(store, isEmpty: try reader.readBool())
        case .metadataKeyForSealing: payload = .metadataKeyForSealing(try reader.readCase(Accessibility.self))
        case .metadataKey: payload = .metadataKey(id: try reader.readUInt32())
        case .createRowKeys:
            payload = .createRowKeys(
                try reader.readBatch { (reader) throws(CBORError) in try RowContext(from: &reader) })
        case .openRowKeys:
            payload = .openRowKeys(
                try reader.readBatch { (reader) throws(CBORError) in try WrappedRowKey(from: &reader) })
        case .report: payload = .report
        case .openChannel: payload = .openChannel
        case .sandbox: payload = .sandbox
        case .noteMark: payload = .noteMark
        }
        try reader.finish()
        self.init(id: id, payload: payload)
    }
}
