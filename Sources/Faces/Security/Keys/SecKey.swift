import ChatelaineCryptography
import ChatelaineModel
import Foundation

/// A cryptographic key, private or public, in the memory of this process.
///
/// It never changes, and any thread may use it. Two are equal when they are the same key of the same class.
public final class SecKey: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 257

    let key: CryptographicKey
    /// The public key, which both keys of a pair have in common.
    let publicBytes: [UInt8]

    package init(_ key: CryptographicKey) throws(KeychainError) {
        self.key = key
        publicBytes = try key.publicRepresentation()
    }

    var isPrivate: Bool { key.isPrivate }
    var isOfRSA: Bool { key.kind == .rsa }

    public override var hash: Int { publicBytes.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        return key.kind == other.key.kind && key.isPrivate == other.key.isPrivate && publicBytes == other.publicBytes
    }

    public override var description: String {
        let kind =
            switch key.kind {
            case .rsa: "RSA"
            case .ec: "EC"
            case .ed25519: "Ed25519"
            case .x25519: "X25519"
            }
        return "<SecKey: \(key.isPrivate ? "private" : "public") key, \(kind), \(key.bits) bits>"
    }
}

/// The type identifier of ``SecKey`` objects.
public func SecKeyGetTypeID() -> CFTypeID { SecKey.cfTypeID }
