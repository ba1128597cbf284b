import ChatelaineMemory

extension EnclaveReply {
    /// Numbers of the kinds on the wire; they never change meaning.
    enum Kind: UInt64 {
        case done = 1
        case metadataKey = 3
        case newRowKeys = 4
        case rowKeys = 5
        case report = 6
        case failure = 7
        case sandbox = 8
        case store = 9

        /// Pairs in a message of this kind, kind and id included.
        var pairs: Int {
            switch self {
            case .done: 2
            case .newRowKeys, .rowKeys, .sandbox: 3
            case .failure, .metadataKey: 5
            case .store: 6
            case .report: 9
            }
        }
    }

    var kind: Kind {
        switch self {
        case .done: .done
        case .store: .store
        case .metadataKey: .metadataKey
        case .newRowKeys: .newRowKeys
        case .rowKeys: .rowKeys
        case .report: .report
        case .failure: .failure
        case .sandbox: .sandbox
        }
    }
}

extension EnclaveEnvelope where Payload == EnclaveReply {
    /// Writes one CBOR map.
    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: payload.kind.pairs)
        writer.write(UInt64(0)); writer.write(payload.kind.rawValue)
        writer.write(UInt64(1)); writer.write(id)
        switch payload {
        case .done: break
        case .store(let keys):
            writer.write(UInt64(2)); writer.write(keys.keybag.bytes)
            writer.write(UInt64(3)); writer.writeMap(count: StoreKeyPurpose.allCases.count)
            for purpose in StoreKeyPurpose.allCases {
                writer.write(purpose.rawValue); writer.write(keys[purpose])
            }
            writer.write(UInt64(4)); writer.write(keys.keybagGeneration)
            writer.write(UInt64(5)); writer.write(keys.isMarked)
        case .metadataKey(let key):
            writer.write(UInt64(2)); writer.write(UInt64(key.id))
            writer.write(UInt64(3)); writer.write(key.key)
            writer.write(UInt64(4)); writer.write(UInt64(key.sealsGranted))
        case .newRowKeys(let keys):
            writer.write(UInt64(2)); writer.writeArray(count: keys.count)
            for key in keys { key.encode(to: &writer) }
        case .rowKeys(let results):
            writer.write(UInt64(2)); writer.writeArray(count: results.count)
            for result in results { Self.encode(result, to: &writer) }
        case .report(let report): report.encodePairs(to: &writer)
        case .failure(let error): error.encodePairs(from: 2, to: &writer)
        case .sandbox(let facts):
            writer.write(UInt64(2)); writer.writeArray(count: facts.count)
            for fact in facts { fact.encode(to: &writer) }
        }
    }

    /// Exactly one message; anything else is refused.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        let pairs = try reader.readMapCount(limit: EnclaveReply.Kind.report.pairs)
        try reader.readKey(0)
        guard let kind = EnclaveReply.Kind(rawValue: try reader.readUnsigned()), pairs == kind.pairs else {
            throw .outOfRange
        }
        try reader.readKey(1)
        let id = try reader.readUnsigned()
        let payload: EnclaveReply
        switch kind {
        case .done: payload = .done
        case .store:
            try reader.readKey(2)
            let keybag: KeybagIdentifier = try reader.readIdentifier()
            try reader.readKey(3)
            try reader.readMap(of: StoreKeyPurpose.allCases.count)
            var keys = try StoreKeys(keybag: keybag) { (purpose) throws(CBORError) in
                try reader.readKey(purpose.rawValue)
                return try reader.readKeyBytes()
            }
            try reader.readKey(4)
            keys.keybagGeneration = try reader.readUnsigned()
            try reader.readKey(5)
            keys.isMarked = try reader.readBool()
            payload = .store(keys)
        case .metadataKey:
            try reader.readKey(2)
            let keyID = try reader.readUInt32()
            try reader.readKey(3)
            let key = try reader.readKeyBytes()
            try reader.readKey(4)
            payload = .metadataKey(MetadataKey(id: keyID, key: key, sealsGranted: try reader.readUInt32()))
        case .newRowKeys:
            try reader.readKey(2)
            payload = .newRowKeys(
                try reader.readBatch { (reader) throws(CBORError) in try NewRowKey(from: &reader) })
        case .rowKeys:
            try reader.readKey(2)
            payload = .rowKeys(try reader.readBatch { (reader) throws(CBORError) in try Self.result(from: &reader) })
        case .report: payload = .report(try EnclaveReport(pairsIn: &reader))
        case .failure: payload = .failure(try KeychainError(pairsFrom: 2, in: &reader))
        case .sandbox:
            try reader.readKey(2)
            payload = .sandbox(
                try reader.readBatch { (reader) throws(CBORError) in try SandboxFact(from: &reader) })
        }
        try reader.finish()
        self.init(id: id, payload: payload)
    }

    private static func encode(_ result: Result<SecretBytes, KeychainError>, to writer: inout CBORWriter) {
        switch result {
        case .success(let key):
            writer.writeMap(count: 1)
            writer.write(UInt64(0)); writer.write(key)
        case .failure(let error):
            writer.writeMap(count: 3)
            error.encodePairs(from: 1, to: &writer)
        }
    }

    private static func result(
        from reader: inout CBORReader
    ) throws(CBORError) -> Result<SecretBytes, KeychainError> {
        switch try reader.readMapCount(limit: 3) {
        case 1:
            try reader.readKey(0)
            return .success(try reader.readKeyBytes())
        case 3: return .failure(try KeychainError(pairsFrom: 1, in: &reader))
        default: throw .outOfRange
        }
    }
}

extension EnclaveReport {
    func encodePairs(to writer: inout CBORWriter) {
        writer.write(UInt64(2)); writer.write(EnclaveWire.fitting(backend, limit: EnclaveWire.maximumNameBytes))
        writer.write(UInt64(3)); writer.write(isUnlocked)
        writer.write(UInt64(4)); writer.write(hasPasscode)
        writer.write(UInt64(5)); writer.write(isDumpable)
        writer.write(UInt64(6)); writer.write(lockedBytes)
        writer.write(UInt64(7)); writer.write(unlockedBytes)
        writer.write(UInt64(8)); writer.write(UInt64(classKeys))
    }

    init(pairsIn reader: inout CBORReader) throws(CBORError) {
        try reader.readKey(2)
        let backend = try reader.readText(limit: EnclaveWire.maximumNameBytes)
        try reader.readKey(3)
        let isUnlocked = try reader.readBool()
        try reader.readKey(4)
        let hasPasscode = try reader.readBool()
        try reader.readKey(5)
        let isDumpable = try reader.readBool()
        try reader.readKey(6)
        let lockedBytes = try reader.readUnsigned()
        try reader.readKey(7)
        let unlockedBytes = try reader.readUnsigned()
        try reader.readKey(8)
        self.init(
            backend: backend, isUnlocked: isUnlocked, hasPasscode: hasPasscode, isDumpable: isDumpable,
            lockedBytes: lockedBytes, unlockedBytes: unlockedBytes, classKeys: try reader.readUInt32())
    }
}
