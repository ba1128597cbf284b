import CChatelaineCrypto
import Foundation
import Security

/// Measures `SecKey` in a program, beside bare calls of the cryptographic library.
struct KeysInMemory {
    private static let calls = 2_000
    private static let digest = [UInt8](repeating: 7, count: 32)

    func measure(_ table: inout Table) throws {
        let curve = try Pair(type: kSecAttrKeyTypeEC, bits: 256, number: Int32(CHATELAINE_KEY_EC))
        try verification(
            "verify, P-256, SecKeyVerifySignature", curve, .ecdsaSignatureDigestX962SHA256,
            fill: Int32(CHATELAINE_FILL_NONE), digest: Int32(CHATELAINE_DIGEST_SHA256), &table)
        let rsa = try Pair(type: kSecAttrKeyTypeRSA, bits: 2048, number: Int32(CHATELAINE_KEY_RSA))
        try verification(
            "verify, RSA-2048, SecKeyVerifySignature", rsa, .rsaSignatureDigestPKCS1v15SHA256,
            fill: Int32(CHATELAINE_FILL_PKCS1), digest: Int32(CHATELAINE_DIGEST_SHA256), &table)
        try encryption("encrypt, RSA-2048 OAEP, SecKeyCreateEncryptedData", rsa, &table)
    }

    /// A key pair of `SecKey`, and the public key in the cryptographic library.
    private final class Pair {
        let privateKey: SecKey
        let publicKey: SecKey
        let bare: OpaquePointer

        init(type: CFString, bits: Int, number: Int32) throws {
            let parameters = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits] as CFDictionary
            guard let made = SecKeyCreateRandomKey(parameters, nil), let other = SecKeyCopyPublicKey(made),
                let written = SecKeyCopyExternalRepresentation(other, nil)
            else { throw BenchError("no key is made") }
            (privateKey, publicKey) = (made, other)
            let bytes = [UInt8](written as Data)
            var handle: OpaquePointer?
            _ = chatelaine_key_read(number, 0, bytes, bytes.count, &handle)
            guard let handle else { throw BenchError("a key is not read") }
            bare = handle
        }

        deinit { chatelaine_key_free(bare) }
    }

    private func verification(
        _ what: String, _ pair: Pair, _ algorithm: SecKeyAlgorithm, fill: Int32, digest: Int32, _ table: inout Table
    ) throws {
        let data = NSData(data: Data(Self.digest))
        guard let signature = SecKeyCreateSignature(pair.privateKey, algorithm, data, nil) else {
            throw BenchError("nothing is signed")
        }
        let bytes = [UInt8](signature as Data)
        let medians = try Measurements.pair(calls: Self.calls) {
            try BenchError.check(
                chatelaine_key_verify(
                    pair.bare, fill, digest, Self.digest, Self.digest.count, bytes, bytes.count) == 0,
                "the floor verifies nothing")
        } _: { _ in
            {
                try BenchError.check(
                    SecKeyVerifySignature(pair.publicKey, algorithm, data, signature, nil), "nothing is verified")
            }
        }
        table.add(what, medians.call, floor: medians.floor, atMost: 1.2)
    }

    private func encryption(_ what: String, _ pair: Pair, _ table: inout Table) throws {
        let data = NSData(data: Data(Self.digest))
        var (block, count) = ([UInt8](repeating: 0, count: Int(CHATELAINE_BLOCK_BYTES)), 0)
        let medians = try Measurements.pair(calls: Self.calls) {
            try BenchError.check(
                chatelaine_key_encrypt(
                    pair.bare, Int32(CHATELAINE_FILL_OAEP), Int32(CHATELAINE_DIGEST_SHA256), Self.digest,
                    Self.digest.count, &block, &count) == 0,
                "the floor encrypts nothing")
        } _: { _ in
            {
                try BenchError.check(
                    SecKeyCreateEncryptedData(pair.publicKey, .rsaEncryptionOAEPSHA256, data, nil) != nil,
                    "nothing is encrypted")
            }
        }
        table.add(what, medians.call, floor: medians.floor, atMost: 1.2)
    }
}
