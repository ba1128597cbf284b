import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The holder of a private key, which computes with it in this process or in the keychain.
protocol PrivateKeyHolder: Sendable {
    var isExportable: Bool { get }

    /// - Parameter key: the public half of the key, here and below.
    func signature(
        of data: [UInt8], by algorithm: NamedAlgorithm, _ key: CryptographicKey
    ) throws(KeychainError) -> [UInt8]
    func decrypted(
        _ data: [UInt8], by algorithm: NamedAlgorithm, _ key: CryptographicKey
    ) throws(KeychainError) -> SecretBytes
    func secret(
        with other: CryptographicKey, by algorithm: NamedAlgorithm, size: Int, info: [UInt8]
    ) throws(KeychainError) -> SecretBytes
    /// The external representation; `errSecUnimplemented` where the key cannot be exported.
    func representation() throws(KeychainError) -> SecretBytes
}

/// An algorithm and Apple's name for it.
struct NamedAlgorithm {
    let name: String
    let algorithm: KeyAlgorithm
}

/// A private key in this process.
struct KeyInMemory: PrivateKeyHolder {
    let key: CryptographicKey
    /// Whether the program gets its bytes, which are in its memory all the same.
    let isExportable: Bool

    func signature(
        of data: [UInt8], by algorithm: NamedAlgorithm, _: CryptographicKey
    ) throws(KeychainError) -> [UInt8] {
        try data.withUnsafeBytes { data in
            Result { () throws(KeychainError) in try key.signature(of: data, by: algorithm.algorithm) }
        }.get()
    }

    func decrypted(
        _ data: [UInt8], by algorithm: NamedAlgorithm, _: CryptographicKey
    ) throws(KeychainError) -> SecretBytes {
        try data.withUnsafeBytes { data in
            Result { () throws(KeychainError) in try key.decrypted(data, by: algorithm.algorithm) }
        }.get()
    }

    func secret(
        with other: CryptographicKey, by algorithm: NamedAlgorithm, size: Int, info: [UInt8]
    ) throws(KeychainError) -> SecretBytes {
        try key.secret(with: other, by: algorithm.algorithm, size: size, info: info)
    }

    func representation() throws(KeychainError) -> SecretBytes {
        guard isExportable else {
            throw KeychainError(.unimplemented, "the key can be used and not exported: kSecAttrIsExtractable is false")
        }
        return try key.privateRepresentation()
    }
}

/// A private key in the keychain, of which this process has the reference, or a detached key.
///
/// This process does the work that needs no secret: it computes digests of messages and runs AES. So no message
/// crosses to the daemons, however long it is.
struct KeyInKeychain: PrivateKeyHolder {
    /// The reference by which the daemons find the key.
    enum Place: Sendable {
        case dataProtection(ItemIdentifier)
        case file(KeychainItemHandle)
        /// A key of the enclave, whose sealed bytes this program keeps.
        case detached([UInt8])
    }

    let place: Place
    let custody: KeyCustody
    /// What the query that found the key, or the call that made or read it, says about asking a person.
    let context: CallContext?

    init(place: Place, custody: KeyCustody, context: CallContext?) {
        (self.place, self.custody, self.context) = (place, custody, context)
    }

    /// Returns nil for a reference that names no item.
    init?(_ reference: KeyReference, custody: KeyCustody) {
        if let handle = reference.keychainItem {
            place = .file(handle)
        } else if let item = reference.item {
            place = .dataProtection(item.identifier)
        } else {
            return nil
        }
        self.custody = custody
        context = reference.context as? CallContext
    }

    var isExportable: Bool { custody == .exportable }

    func signature(
        of data: [UInt8], by algorithm: NamedAlgorithm, _: CryptographicKey
    ) throws(KeychainError) -> [UInt8] {
        var (name, signed) = (algorithm.name, data)
        if let digest = algorithm.algorithm.messageDigest {
            signed = try data.withUnsafeBytes { data in
                Result { () throws(KeychainError) in try digest.digest(of: data) }
            }.get()
            name = KeyAlgorithm.nameOfDigest(name)
        }
        if custody.isOfEnclave {
            try algorithm.algorithm.requireDigest(signed)
            name = try algorithm.algorithm.nameInEnclave()
        }
        return try perform(.sign(algorithm: name, signed)).withUnsafeBytes { [UInt8]($0) }
    }

    func decrypted(
        _ data: [UInt8], by algorithm: NamedAlgorithm, _ key: CryptographicKey
    ) throws(KeychainError) -> SecretBytes {
        switch algorithm.algorithm {
        case .rsaHybrid(let digest):
            let name = KeyAlgorithm.name(ofOAEP: digest)
            return try data.withUnsafeBytes { data in
                Result { () throws(KeychainError) in
                    try key.openedHybrid(data) { (block) throws(KeychainError) in
                        try perform(.decrypt(algorithm: name, [UInt8](block)))
                    }
                }
            }.get()
        case .ecies(let digest, let derivesNonce):
            return try data.withUnsafeBytes { data in
                Result { () throws(KeychainError) in
                    try key.openedECIES(data, derivesNonce: derivesNonce) {
                        (other, size, info) throws(KeychainError) in
                        try agree(digest, other, size, info)
                    }
                }
            }.get()
        default: return try perform(.decrypt(algorithm: algorithm.name, data))
        }
    }

    func secret(
        with other: CryptographicKey, by algorithm: NamedAlgorithm, size: Int, info: [UInt8]
    ) throws(KeychainError) -> SecretBytes {
        guard case .keyExchange(let digest, _) = algorithm.algorithm else {
            throw KeychainError(.param, "the algorithm agrees on nothing")
        }
        return try agree(digest, other, size, info)
    }

    func representation() throws(KeychainError) -> SecretBytes { try perform(.export) }

    /// - Parameter digest: the digest of the derivation; nil for the shared secret itself, the only agreement that
    ///   the enclave supports.
    private func agree(
        _ digest: KeyDigest?, _ other: CryptographicKey, _ size: Int, _ info: [UInt8]
    ) throws(KeychainError) -> SecretBytes {
        let bytes = try other.publicRepresentation()
        guard !custody.isOfEnclave, let digest else {
            let secret = try perform(
                .agree(algorithm: KeyAlgorithm.plainKeyExchange, with: bytes, size: 0, info: []))
            guard let digest else { return secret }
            return try X963KeyDerivation.key(secret, digest, count: size, info: info)
        }
        let name = KeyAlgorithm.name(ofKeyExchange: digest)
        return try perform(.agree(algorithm: name, with: bytes, size: UInt32(clamping: size), info: info))
    }

    /// Has the daemons carry out a task with the key.
    func perform(_ task: KeyTask) throws(KeychainError) -> SecretBytes {
        try task.validate()
        let caller: any KeychainCalling = context?.caller ?? KeychainClient.shared
        switch place {
        case .dataProtection(let item):
            var usage = KeyUsage(item, task)
            context?.complete(&usage.authenticationUI, &usage.prompt)
            return try caller.useKey(usage)
        case .file(let handle):
            var usage = KeyUsage(handle.reference.item.identifier, task)
            try FileItemCalls.complete(context, &usage.authenticationUI, &usage.prompt)
            return try KeychainClient.shared.useKey(usage, in: KeychainItemCalls.scope(of: handle))
        case .detached(let bytes):
            var usage = DetachedKeyUsage(bytes, task)
            context?.complete(&usage.authenticationUI, &usage.prompt)
            return try caller.useDetachedKey(usage)
        }
    }
}
