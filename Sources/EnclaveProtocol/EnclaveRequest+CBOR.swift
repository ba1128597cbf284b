import ChatelaineModel
import Sealing

extension EnclaveRequest {
    /// Numbers of the kinds on the wire; they never change meaning.
    enum Kind: UInt8, CBORValue {
        case openStore = 1
        case metadataKeyForSealing = 2
        case metadataKey = 3
        case createRowKeys = 4
        case openRowKeys = 5
        case report = 6
        case openChannel = 7
        case sandbox = 8
        case noteMark = 9
    }

    fileprivate enum Field: UInt64, CBORField {
        case kind = 0
        case id = 1
        /// What the request is about: a store, a protection class, the id of a key, or a batch.
        case subject = 2
        case isEmpty = 3
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
    private typealias Field = EnclaveRequest.Field

    /// Writes one CBOR map.
    public func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, payload.kind)
            $0.write(Field.id, id)
            switch payload {
            case .openStore(let store, let isEmpty):
                $0.write(Field.subject, store)
                $0.write(Field.isEmpty, isEmpty)
            case .metadataKeyForSealing(let accessibility): $0.write(Field.subject, accessibility)
            case .metadataKey(let id): $0.write(Field.subject, id)
            case .createRowKeys(let contexts): $0.writeArray(Field.subject, contexts)
            case .openRowKeys(let keys): $0.writeArray(Field.subject, keys)
            case .report, .openChannel, .sandbox, .noteMark: break
            }
        }
    }

    /// Exactly one message; anything else is refused.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(bytes))
        let kind: EnclaveRequest.Kind = try map.read(Field.kind)
        let id: UInt64 = try map.read(Field.id)
        let payload: EnclaveRequest
        switch kind {
        case .openStore:
            let store: StoreIdentifier = try map.read(Field.subject)
            payload = .openStore(store, isEmpty: try map.read(Field.isEmpty))
        case .metadataKeyForSealing: payload = .metadataKeyForSealing(try map.read(Field.subject))
        case .metadataKey: payload = .metadataKey(id: try map.read(Field.subject))
        case .createRowKeys:
            payload = .createRowKeys(try map.readArray(Field.subject, limit: EnclaveRequest.maximumBatch))
        case .openRowKeys:
            payload = .openRowKeys(try map.readArray(Field.subject, limit: EnclaveRequest.maximumBatch))
        case .report: payload = .report
        case .openChannel: payload = .openChannel
        case .sandbox: payload = .sandbox
        case .noteMark: payload = .noteMark
        }
        try map.end().finish()
        self.init(id: id, payload: payload)
    }
}
