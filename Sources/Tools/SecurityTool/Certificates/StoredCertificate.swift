import ChatelaineCryptography
import ChatelaineModel

/// A certificate as the verbs about certificates see it: its bytes, what trustd reads in them, and where it is.
struct StoredCertificate {
    let der: [UInt8]
    /// Nil of one that nobody can read, or has read yet.
    var report: CertificateReport?
    var place: KeychainPlace?
    /// What it is called where it is stored.
    var label: String?
    var item: StoredItem?
    /// Whether its private key is in the same keychain.
    var hasPrivateKey = false

    /// What people call it.
    var name: String { label ?? report?.summary ?? "certificate" }

    var commonName: String? { report?.subject.commonName }

    /// The normalised name of whoever issued it, as it was read or as it stands beside it in a keychain.
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

    /// Whether this is SHA-256 or SHA-1 of it, in hexadecimal digits.
    func hasDigest(_ text: String) throws(KeychainError) -> Bool {
        let text = text.uppercased()
        switch text.utf8.count {
        case 2 * KeyDigest.sha1.byteCount: return try digest(.sha1) == text
        case 2 * KeyDigest.sha256.byteCount: return try digest(.sha256) == text
        default: return false
        }
    }
}

/// Where an item is.
enum KeychainPlace: Hashable {
    case dataProtection
    /// The path of a file keychain.
    case file(String)

    /// As records have it, and people read it.
    var text: String {
        switch self {
        case .dataProtection: "data protection keychain"
        case .file(let path): path
        }
    }
}

/// An item of either keychain.
enum StoredItem {
    case protected(FoundItem)
    case file(KeychainItem)

    var item: FoundItem {
        switch self {
        case .protected(let item): item
        case .file(let item): item.item
        }
    }

    var place: KeychainPlace {
        switch self {
        case .protected: .dataProtection
        case .file(let item): .file(item.path)
        }
    }

    var label: String? {
        if case .text(let text)? = item.attributes[.label], !text.isEmpty { text } else { nil }
    }
}
