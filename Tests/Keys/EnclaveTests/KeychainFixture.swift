import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

@testable import Enclave

/// Short forms of requests about file keychains.
extension Enclave {
    /// Makes a request with passwords and returns its report, or throws the failure in the reply.
    func keychain(_ request: some EnclaveKeychainRequest, _ passwords: [UInt8]...) throws -> KeychainReport {
        try answer(request, passcodes: passwords.map { SecretBytes($0) }).get()
    }

    func createKeychain(_ store: StoreIdentifier, _ password: String = "right") throws -> KeychainHeader {
        guard let header = try keychain(CreateKeychain(store), Array(password.utf8)).header else {
            throw Unexpected()
        }
        return header
    }

    /// Unlocks the keychain in the store that the header names, unless another store is named.
    func unlock(
        _ header: KeychainHeader, _ password: String = "right", from origin: PasscodeOrigin = .agent,
        in store: StoreIdentifier? = nil
    ) throws -> KeychainReport {
        try keychain(UnlockKeychain(header, origin, in: store ?? header.store), Array(password.utf8))
    }

    func verify(
        _ header: KeychainHeader, _ password: String, from origin: PasscodeOrigin = .agent
    ) throws -> KeychainReport {
        try keychain(VerifyKeychainPassword(header, origin, in: header.store), Array(password.utf8))
    }

    func changePassword(
        _ header: KeychainHeader, _ password: String, to new: String, from origin: PasscodeOrigin = .agent
    ) throws -> KeychainReport {
        try keychain(
            ChangeKeychainPassword(header, origin, in: header.store), Array(password.utf8), Array(new.utf8))
    }

    func openKeychain(keysOf store: StoreIdentifier) throws -> StoreKeys {
        try answer(OpenKeychain(store)).get()
    }

    func closeStore(_ store: StoreIdentifier) throws {
        _ = try answer(CloseStore(store)).get()
    }

    func isUnlocked(_ store: StoreIdentifier) throws -> Bool {
        do {
            _ = try openKeychain(keysOf: store)
            return true
        } catch let error as KeychainError where error.cause == .locked { return false }
    }
}

extension KeychainHeader {
    /// A changed header with a valid checksum, as somebody who may write to the file can make it.
    func with(
        store: StoreIdentifier? = nil, parameters: PasswordParameters? = nil, salt: Bytes16? = nil,
        indexSalt: Bytes16? = nil, check: [UInt8]? = nil, wrappedKey: [UInt8]? = nil
    ) throws -> KeychainHeader {
        let terms = Terms(
            store: store ?? self.store, parameters: parameters ?? self.terms.parameters, salt: salt ?? self.terms.salt,
            indexSalt: indexSalt ?? self.terms.indexSalt)
        let changed = KeychainHeader(terms, check: check ?? self.check, wrappedKey: wrappedKey ?? self.wrappedKey)
        return try KeychainHeader(decoding: changed.encoded, path: "changed")
    }
}
