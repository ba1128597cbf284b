import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// An object that programs import or export.
package enum ImportedThing {
    case certificate(SecCertificate)
    case key(SecKey)
    case identity(SecIdentity)

    package var object: NSObject {
        switch self {
        case .certificate(let certificate): certificate
        case .key(let key): key
        case .identity(let identity): identity
        }
    }

    /// - Throws: `errSecParam` for an object of another class.
    package init(_ object: AnyObject) throws(KeychainError) {
        switch object {
        case let certificate as SecCertificate: self = .certificate(certificate)
        case let key as SecKey: self = .key(key)
        case let identity as SecIdentity: self = .identity(identity)
        default:
            throw KeychainError(.param, "only certificates, keys and identities are exported, and arrays of them")
        }
    }

    /// The form that formatd takes; an identity becomes two items.
    func externalItems() throws(KeychainError) -> [ExternalItem] {
        switch self {
        case .certificate(let certificate): return [ExternalItem(.certificate(der: certificate.der, key: nil))]
        case .key(let key): return [try Self.item(key)]
        case .identity(let identity):
            return [
                ExternalItem(.certificate(der: identity.certificate.der, key: nil)), try Self.item(identity.privateKey),
            ]
        }
    }

    private static func item(_ key: SecKey) throws(KeychainError) -> ExternalItem {
        guard let kind = key.kind else { return ExternalItem(.sessionKey(try key.ownRepresentation())) }
        switch try KeyCalls.representation(of: key) {
        case .secret(let bytes): return ExternalItem(.privateKey(kind, bytes))
        case .data(let bytes): return ExternalItem(.publicKey(kind, bytes))
        default: throw KeychainError(.internalComponent, "the representation of a key is no data")
        }
    }
}

/// An imported object, with the name that a PKCS#12 file has for it.
struct NamedThing {
    let thing: ImportedThing
    var label: String?
}

extension ExternalItem {
    /// Makes the object of an item; a key whose parts do not belong together is refused.
    ///
    /// - Throws: `errSecParam` for bytes that are no AES key.
    func thing() throws(KeychainError) -> ImportedThing {
        switch content {
        case .certificate(let der, _): return .certificate(SecCertificate(der: der))
        case .privateKey(let kind, let bytes):
            let key = bytes.withUnsafeBytes { bytes in
                Result { () throws(KeychainError) in
                    try CryptographicKey(kind, isPrivate: true, representation: bytes)
                }
            }
            return .key(try SecKey(try key.get()))
        case .publicKey(let kind, let bytes):
            return .key(try SecKey(try CryptographicKey(kind, publicRepresentation: bytes)))
        case .sessionKey(let bytes): return .key(SecKey(.memory(try SymmetricKey(bytes))))
        }
    }
}
