import CryptoKit
import Foundation

// EnclaveKeys sign FILE MESSAGE     prints the public key (PEM) and the signature (base64); makes a missing key
// EnclaveKeys agree FILE PEER       prints the public key (base64 of X9.63) and the secret shared with PEER (same form)

func existing(_ file: String) -> Data? { try? Data(contentsOf: URL(fileURLWithPath: file)) }

func keep(_ key: Data, in file: String) throws { try key.write(to: URL(fileURLWithPath: file)) }

let arguments = CommandLine.arguments
guard SecureEnclave.isAvailable, arguments.count == 4 else {
    print("no Secure Enclave, or a wrong call")
    exit(2)
}
do {
    switch arguments[1] {
    case "sign":
        let key: SecureEnclave.P256.Signing.PrivateKey
        if let kept = existing(arguments[2]) {
            key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: kept)
        } else {
            key = try SecureEnclave.P256.Signing.PrivateKey()
            try keep(key.dataRepresentation, in: arguments[2])
        }
        let message = Data(arguments[3].utf8)
        let signature = try key.signature(for: message)
        guard key.publicKey.isValidSignature(signature, for: message) else { exit(3) }
        print(key.publicKey.pemRepresentation)
        print(signature.derRepresentation.base64EncodedString())
    case "agree":
        let key: SecureEnclave.P256.KeyAgreement.PrivateKey
        if let kept = existing(arguments[2]) {
            key = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: kept, authenticationContext: nil)
        } else {
            key = try SecureEnclave.P256.KeyAgreement.PrivateKey(compactRepresentable: false)
            try keep(key.dataRepresentation, in: arguments[2])
        }
        print(key.publicKey.x963Representation.base64EncodedString())
        guard let peer = Data(base64Encoded: arguments[3]), !peer.isEmpty else { break }
        let secret = try key.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: peer))
        let shared = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Data("salt".utf8), sharedInfo: Data(), outputByteCount: 32)
        shared.withUnsafeBytes { print(Data($0).base64EncodedString()) }
    default: exit(2)
    }
} catch {
    print("refused: \((error as NSError).code)")
    exit(1)
}
