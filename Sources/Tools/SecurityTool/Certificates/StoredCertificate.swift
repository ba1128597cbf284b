import ChatelaineCryptography
import ChatelaineModel

/// A certificate as the certificate verbs use it: its bytes, its content as trustd read it, and its place.
struct StoredCertificate {
    let der: [UInt8]
    /// Nil if the certificate was not read yet, or cannot be read.
    var report: CertificateReport?
    var place: StoredCertificateLocation?
    /// The label of its item.
    var label: String?
    var item: StoredItem?
    /// Whether its private key is in the same keychain.
    var hasPrivateKey = false

    /// The name for people.
    var name: String { label ?? report?.summary ?? "certificate" }

    var commonName: String? { report?.subject.commonName }

    /// The normalised name of the issuer, from the content or from the item's attributes.
    var issuerName: [UInt8]? {
        if let report { return report.issuer.normalized }
        if case .data(let name)? = item?.item.attributes[.issuer] { return name }
        return nil
    }

    func digest(_ digest: KeyDigest) throws(KeychainError) -> String {
        let bytes = der.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try digest.digest(of: bytes) }
        }
        return Hexadecimal.text(of: try bytes.get()).uppercased()
    }

    /// Whether a text is the SHA-256 or SHA-1 of the certificate in hexadecimal digits.
    func hasDigest(_ text: String) throws(KeychainError) -> Bool {
        let text = text.uppercased()
        switch text.utf8.count {
        case 2 * KeyDigest.sha1.byteCount: return try digest(.sha1) == text
        case 2 * KeyDigest.sha256.byteCount: return try digest(.sha256) == text
        default: return false
        }
    }
}

/// The keychain of an item.
enum StoredCertificateLocation: Hashable {
    case dataProtection
    /// The path of a file keychain.
    case file(String)

    /// The name of the place in records and for people.
    var text: String {
        switch self {
        case .dataProtection: "data protection keychain"
        case .file(let path): path
        }
    }
}

/// An item of the data protection keychain or of a file keychain.
enum StoredItem {
    case protected(FoundItem)
    case file(KeychainItem)

    var item: FoundItem {
        switch self {
        case .protected(let item): item
        case .file(let item): item.item
        }
    }

    var place: StoredCertificateLocation {
        switch self {
        case .protected: .dataProtection
        case .file(let item): .file(item.path)
        }
    }

    var label: String? {
        if case .text(let text)? = item.attributes[.label], !text.isEmpty { text } else { nil }
    }
}
