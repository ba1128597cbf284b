import ChatelaineModel
import EnclaveProtocol

/// Carries out requests about the keys of rows and of their attributes.
enum RowRequests {
    static let routes: [EnclaveRoute] = [
        .init(metadataKeyForSealing),
        .init(metadataKey),
        .init(createRowKeys),
        .init(openRowKeys),
        .init(rewrapRowKeys),
    ]

    static func metadataKeyForSealing(
        _ request: ReadMetadataKeyForSealing, _ enclave: Enclave
    ) throws(KeychainError) -> MetadataKey {
        try enclave.custodian(of: request.store).metadataKeyForSealing(request.accessibility)
    }

    static func metadataKey(_ request: ReadMetadataKey, _ enclave: Enclave) throws(KeychainError) -> MetadataKey {
        try enclave.custodian(of: request.store).metadataKey(id: request.id)
    }

    static func createRowKeys(_ request: CreateRowKeys, _ enclave: Enclave) throws(KeychainError) -> [NewRowKey] {
        try enclave.createRowKeys(request.contexts, for: request.use, try enclave.custodian(of: request.store))
    }

    static func openRowKeys(_ request: OpenRowKeys, _ enclave: Enclave) throws(KeychainError) -> OpenedRowKeys {
        try enclave.openRowKeys(request.keys, for: request.use, try enclave.custodian(of: request.store))
    }

    static func rewrapRowKeys(
        _ request: RewrapRowKeys, _ enclave: Enclave
    ) throws(KeychainError) -> [RewrappedRowKey] {
        try enclave.rewrapRowKeys(request.keys, try enclave.custodian(of: request.store))
    }
}
