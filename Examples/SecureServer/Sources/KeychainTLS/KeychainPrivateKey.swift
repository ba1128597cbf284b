import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Security

/// A private key of the keychain, as swift-nio-ssl uses keys that it cannot read: it asks for signatures.
public struct KeychainPrivateKey: NIOSSLCustomPrivateKey, Hashable {
    // A SecKey never changes, and any thread may use it.
    private let key: SecKey

    public init(_ key: SecKey) { self.key = key }

    /// Those of TLS that the key has, the best first.
    public var signatureAlgorithms: [SignatureAlgorithm] {
        Self.algorithms.filter { name, algorithm in
            SecKeyIsAlgorithmSupported(key, .sign, algorithm) && isOfItsCurve(name)
        }.map(\.name)
    }

    private static let algorithms: [(name: SignatureAlgorithm, algorithm: SecKeyAlgorithm)] = [
        (.ecdsaSecp256R1Sha256, .ecdsaSignatureMessageX962SHA256),
        (.ecdsaSecp384R1Sha384, .ecdsaSignatureMessageX962SHA384),
        (.ecdsaSecp521R1Sha512, .ecdsaSignatureMessageX962SHA512),
        (.rsaPssRsaeSha256, .rsaSignatureMessagePSSSHA256),
        (.rsaPssRsaeSha384, .rsaSignatureMessagePSSSHA384),
        (.rsaPssRsaeSha512, .rsaSignatureMessagePSSSHA512),
        // TLS 1.2 alone.
        (.rsaPkcs1Sha256, .rsaSignatureMessagePKCS1v15SHA256),
    ]

    /// TLS ties each digest to one curve.
    private func isOfItsCurve(_ name: SignatureAlgorithm) -> Bool {
        switch name {
        case .ecdsaSecp256R1Sha256: SecKeyGetBlockSize(key) == 32
        case .ecdsaSecp384R1Sha384: SecKeyGetBlockSize(key) == 48
        case .ecdsaSecp521R1Sha512: SecKeyGetBlockSize(key) == 66
        default: true
        }
    }

    /// Signs on a thread that may wait: the keychain answers in a moment, and a person who is asked does not.
    public func sign(
        channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer
    ) -> EventLoopFuture<ByteBuffer> {
        NIOThreadPool.singleton.runIfActive(eventLoop: channel.eventLoop) { [key] in
            guard let wanted = Self.algorithms.first(where: { $0.name == algorithm })?.algorithm else {
                throw KeychainFailure(status: errSecParam)
            }
            var error: Unmanaged<CFError>?
            guard let signature = SecKeyCreateSignature(key, wanted, Data(data.readableBytesView) as CFData, &error)
            else { throw error?.takeRetainedValue() as Error? ?? KeychainFailure(status: errSecInternalComponent) }
            return ByteBuffer(bytes: signature as Data)
        }
    }

    /// Nobody asks for it: ``TLS/suites`` has none in which a server decrypts with its key.
    public func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(KeychainFailure(status: errSecUnimplemented))
    }
}
