import Crypto
import Foundation
import LocalAuthentication
import Security

extension SecureEnclave.P256.KeyAgreement {
    /// A private key of the Secure Enclave that agrees with others on a secret.
    public struct PrivateKey: Sendable, HPKEDiffieHellmanPrivateKey {
        private let key: SealedKey

        /// Makes a key that is used while the device is unlocked.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether its public key is to have a compact representation.
        ///   - authenticationContext: where a person is asked, when it is used.
        public init(compactRepresentable: Bool = true, authenticationContext: LAContext? = nil) throws {
            try self.init(SealedKey(isCompact: compactRepresentable, .whenUnlocked, authenticationContext))
        }

        /// Makes a key whose access control stands before each agreement.
        public init(
            compactRepresentable: Bool = true, accessControl: SecAccessControl, authenticationContext: LAContext? = nil
        ) throws {
            try self.init(SealedKey(isCompact: compactRepresentable, .control(accessControl), authenticationContext))
        }

        /// A key that this program has kept.
        ///
        /// - Throws: for what is no such key, for one of another device, and for one that a program of another access group has made.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            try self.init(SealedKey(dataRepresentation: dataRepresentation, authenticationContext))
        }

        private init(_ key: SealedKey) throws {
            self.key = key
            publicKey = try Crypto.P256.KeyAgreement.PublicKey(x963Representation: key.publicPoint)
        }

        public let publicKey: Crypto.P256.KeyAgreement.PublicKey

        /// The key as this program keeps it: sealed, so that it is of use to no other program and on no other device.
        public var dataRepresentation: Data { key.dataRepresentation }

        /// The secret that both come to, which may be asked of a person first.
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret {
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
            ]
            let other = try SealedKey.result {
                SecKeyCreateWithData(publicKeyShare.x963Representation as CFData, attributes as CFDictionary, &$0)
            }
            let secret = try SealedKey.result {
                SecKeyCopyKeyExchangeResult(key.key, .ecdhKeyExchangeStandard, other, [:] as CFDictionary, &$0)
            }
            return try SharedSecret(coordinate: secret)
        }
    }
}

extension SharedSecret {
    /// The private number 1, with which every point agrees on its own coordinate.
    private static let one = Data(repeating: 0, count: 31) + [1]

    /// A secret whose bytes are known; swift-crypto makes one by an agreement alone.
    ///
    /// What two keys of P-256 agree on is the first coordinate of a point. So it is what the number 1 and that point agree on. Which of the two
    /// points with that coordinate it is makes no difference.
    ///
    /// - Parameter coordinate: as Security gives it to programs, in memory that nobody zeroes. Of the copy that is made here nothing stays.
    fileprivate init(coordinate: CFData) throws {
        var compressed = Data(capacity: 1 + coordinate.length)
        compressed.append(2)
        // SAFETY: the bytes are there as long as the object, and are copied.
        compressed.append(coordinate.bytes.assumingMemoryBound(to: UInt8.self), count: coordinate.length)
        defer { compressed.resetBytes(in: compressed.startIndex..<compressed.endIndex) }
        let point = try Crypto.P256.KeyAgreement.PublicKey(compressedRepresentation: compressed)
        let one = try Crypto.P256.KeyAgreement.PrivateKey(rawRepresentation: Self.one)
        self = try one.sharedSecretFromKeyAgreement(with: point)
    }
}
