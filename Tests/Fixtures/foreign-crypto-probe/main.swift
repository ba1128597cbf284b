import ChatelaineCryptography
import ChatelaineModel
import foreign_crypto

// A program with its own cryptographic library, which has OpenSSL's names. It uses Chatelaine's keys (decision 16).

func use(_ key: CryptographicKey, _ algorithm: KeyAlgorithm) throws(KeychainError) {
    let message = Array("the message".utf8)
    let result = message.withUnsafeBytes { message in
        Result { () throws(KeychainError) in
            let signature = try key.signature(of: message, by: algorithm)
            return (signature, message)
        }
    }
    let signature = try result.get().0
    let verified = signature.withUnsafeBytes { signature in
        message.withUnsafeBytes { message in
            Result { () throws(KeychainError) in try key.publicKey().verify(signature, of: message, by: algorithm) }
        }
    }
    try verified.get()
}

do throws(KeychainError) {
    guard foreign_crypto_try() == 1 else {
        throw KeychainError(.internalComponent, "the program has no library of its own")
    }
    let before = foreign_crypto_calls()
    try use(CryptographicKey.generate(.ec, bits: 256), .ecSignature(.x962, .sha256, isMessage: true))
    try use(CryptographicKey.generate(.rsa, bits: 2048), .rsaSignature(.pss, .sha256, isMessage: true))
    print("works, \(foreign_crypto_calls() - before) calls went astray")
} catch {
    print("fails: \(error.reason)")
}
