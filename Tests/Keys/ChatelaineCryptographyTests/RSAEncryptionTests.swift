import ChatelaineModel
import Crypto
import Foundation
import Testing

@testable import ChatelaineCryptography

/// RSA treats wrong blocks alike, and works with the largest keys.
@Suite struct RSAEncryptionTests {
    private static let message = Array("the message".utf8)

    // MARK: What is wrong

    /// A block as OAEP lays it out (RFC 8017, 7.1.1), with SHA-1 for a key of 1024 bits.
    private struct Block {
        static let count = 128
        var first: UInt8 = 0
        var label = Array(Insecure.SHA1.hash(data: [UInt8]()))
        /// The bytes between the label and the message.
        var separator: [UInt8] = [0, 0, 1]

        var bytes: [UInt8] {
            let seed = [UInt8](repeating: 7, count: 20)
            let used = label.count + separator.count + message.count
            let data =
                label + [UInt8](repeating: 0, count: Self.count - 1 - seed.count - used) + separator + message
            let masked = zip(data, Self.mask(seed, data.count)).map { $0 ^ $1 }
            return [first] + zip(seed, Self.mask(masked, seed.count)).map { $0 ^ $1 } + masked
        }

        /// The mask generation function MGF1 (RFC 8017, B.2.1).
        private static func mask(_ seed: [UInt8], _ count: Int) -> [UInt8] {
            (UInt8(0)...7).flatMap { Array(Insecure.SHA1.hash(data: seed + [0, 0, 0, $0])) }.prefix(count).map { $0 }
        }
    }

    /// Every wrong block gives the same error in the same words. A difference would reveal other messages (Manger's
    /// attack).
    @Test func wrongBlocksOfOAEPAreAllAlike() throws {
        let key = try CryptographicKey.generate(.rsa, bits: 1024)
        func decrypted(_ block: Block) throws -> [UInt8] {
            let sealed = try Keys.encrypt(block.bytes, key, .rsaEncryption(.none))
            return try Keys.decrypt(sealed, key, .rsaEncryption(.oaep(.sha1)))
        }
        #expect(try decrypted(Block()) == Self.message)
        var answers: Set<String> = []
        for block in [
            Block(first: 1), Block(label: [UInt8](repeating: 0, count: 20)), Block(separator: [0, 0, 0]),
            Block(separator: [0, 5, 1]), Block(first: 1, separator: [2]),
        ] {
            do {
                _ = try decrypted(block)
                Issue.record("\(block) was decrypted")
            } catch let error as KeychainError {
                #expect(error.status == .decode)
                answers.insert("\(error.status) \(error.cause) \(error.reason) \(error.line)")
            }
        }
        #expect(answers.count == 1, "\(answers)")
    }

    // MARK: The largest keys

    /// The fixtures were made once by `openssl genrsa -traditional`, because the search for their primes takes up to a
    /// minute.
    @Test(arguments: [4096, 8192])
    func theLargestKeysDoWhatOthersDo(_ bits: Int) throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/rsa-\(bits).der")
        let der = [UInt8](try Data(contentsOf: path))
        let key = try Keys.read(.rsa, isPrivate: true, der)
        #expect(try key.bits == bits && Keys.bytes(key.privateRepresentation()) == der)
        let open = try key.publicKey()
        for name in ["algid:sign:RSA:message-PKCS1v15:SHA256", "algid:sign:RSA:message-PSS:SHA512:SHA512:64"] {
            let algorithm = try #require(KeyAlgorithm(name: name))
            let signature = try Keys.sign(Self.message, key, algorithm)
            #expect(try signature.count == bits / 8 && Keys.verifies(signature, Self.message, open, algorithm))
        }
        let oaep = KeyAlgorithm.rsaEncryption(.oaep(.sha256))
        #expect(try Keys.decrypt(Keys.encrypt(Self.message, open, oaep), key, oaep) == Self.message)
        let sealed = try Keys.encrypt(Self.message, open, .rsaHybrid(.sha256))
        #expect(try Keys.decrypt(sealed, key, .rsaHybrid(.sha256)) == Self.message)
        // From 4096 bits on, the session key has 256 bits, and another library opens the rest with it.
        let session = try Keys.decrypt(Array(sealed.prefix(bits / 8)), key, oaep)
        #expect(session.count == 32)
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)),
            ciphertext: sealed.dropFirst(bits / 8).dropLast(16), tag: sealed.suffix(16))
        let opened = try AES.GCM.open(
            box, using: Crypto.SymmetricKey(data: session), authenticating: open.publicRepresentation())
        #expect(Array(opened) == Self.message)
    }
}
