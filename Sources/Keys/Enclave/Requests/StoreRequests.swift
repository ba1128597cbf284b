import ChatelaineModel
import EnclaveProtocol

/// Carries out requests about stores, and about the custodian as a whole.
enum StoreRequests {
    static let routes: [EnclaveRoute] = [
        .init(needsFolder: true, open),
        .init(close),
        .init(noteMark),
        .init(report),
    ]

    static func open(_ request: OpenStore, _ enclave: Enclave) throws(KeychainError) -> StoreKeys {
        try enclave.open(request.store, isEmpty: request.isEmpty).keys
    }

    static func close(_ request: CloseStore, _ enclave: Enclave) throws(KeychainError) -> Done {
        enclave.close(request.store)
        return Done()
    }

    static func noteMark(_ request: NoteMark, _ enclave: Enclave) throws(KeychainError) -> Done {
        try enclave.keybag(of: request.store).noteMark()
        return Done()
    }

    static func report(_ request: ReadCustodianReport, _ enclave: Enclave) throws(KeychainError) -> EnclaveReport {
        enclave.report()
    }
}
