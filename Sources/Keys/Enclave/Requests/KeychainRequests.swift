import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// Carries out requests about file keychains.
enum KeychainRequests {
    static let routes: [EnclaveRoute] = [
        .init(open),
        .init(keychain: create),
        .init(keychain: unlock),
        .init(keychain: changePassword),
        .init(keychain: verifyPassword, needsPlace: false),
        .init(keychain: verifySecret, needsPlace: false),
    ]

    static func open(_ request: OpenKeychain, _ enclave: Enclave) throws(KeychainError) -> StoreKeys {
        try enclave.openKeychain(request.store)
    }

    static func create(
        _ request: CreateKeychain, _ turn: KeychainTurn, _ shared: inout Enclave.PasswordTurn
    ) throws(KeychainError) -> KeychainReport {
        try turn.enclave.create(turn.passwords[0], turn.attempt, &shared)
    }

    static func unlock(
        _ request: UnlockKeychain, _ turn: KeychainTurn, _ shared: inout Enclave.PasswordTurn
    ) throws(KeychainError) -> KeychainReport {
        let (enclave, attempt) = (turn.enclave, turn.attempt)
        return try enclave.whenRight(turn.passwords[0], request.header, request.store, request.origin, &shared) {
            _, master throws(KeychainError) in
            try enclave.unlock(request.header.terms, master, attempt)
        }
    }

    static func changePassword(
        _ request: ChangeKeychainPassword, _ turn: KeychainTurn, _ shared: inout Enclave.PasswordTurn
    ) throws(KeychainError) -> KeychainReport {
        let (enclave, attempt, new) = (turn.enclave, turn.attempt, turn.passwords[1])
        let former = request.header.terms
        var header: KeychainHeader?
        var report = try enclave.whenRight(
            turn.passwords[0], request.header, request.store, request.origin, &shared
        ) { shared, master throws(KeychainError) in
            // The salt of the index stays. The cost of the derivation never falls, even if this machine would choose
            // less.
            let terms = KeychainHeader.Terms(
                store: request.store, parameters: try enclave.parameters(atLeast: former.parameters, &shared),
                indexSalt: former.indexSalt)
            header = try KeychainPasswordKeys(new, terms, enclave.settings.passwordHash)
                .header(terms, wrapping: master)
            try enclave.unlock(terms, master, attempt)
        }
        report.header = header
        return report
    }

    static func verifyPassword(
        _ request: VerifyKeychainPassword, _ turn: KeychainTurn, _ shared: inout Enclave.PasswordTurn
    ) throws(KeychainError) -> KeychainReport {
        try turn.enclave.whenRight(turn.passwords[0], request.header, request.store, request.origin, &shared) {
            _, _ in
        }
    }

    static func verifySecret(
        _ request: VerifyKeychainSecret, _ turn: KeychainTurn, _ shared: inout Enclave.PasswordTurn
    ) throws(KeychainError) -> KeychainReport {
        let enclave = turn.enclave
        return try enclave.verify(
            turn.passwords[0], request.header, request.store, request.origin,
            orPasscodeOf: try enclave.keybag(of: request.keybag), &shared)
    }
}
