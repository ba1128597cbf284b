import ChatelaineModel
import SwiftASN1
import TrustProtocol
import X509

/// The addresses in a certificate of its issuer, of OCSP responders and of revocation lists (RFC 5280, 4.2.2.1 and
/// 4.2.1.13).
///
/// The certificate's maker chose these, so an unreadable extension counts as naming nothing, and does not make the
/// chain worse.
struct NamedSources {
    /// The addresses of the OCSP responders.
    let responders: [GeneralName]
    let issuers: [GeneralName]
    /// The points that cover all certificates and all reasons, and whose list the issuer itself signs.
    let points: [DistributionPoint]
    /// Whether there are any points, including unusable ones.
    private let hasPoints: Bool

    static let distributionPoints: ASN1ObjectIdentifier = [2, 5, 29, 31]

    init(_ certificate: Certificate) {
        let access = (try? certificate.extensions.authorityInformationAccess).map { Array($0) } ?? []
        responders = access.filter { $0.method == .ocspServer }.map(\.location)
        issuers = access.filter { $0.method == .issuingCA }.map(\.location)
        let found = certificate.extensions.first { $0.oid == Self.distributionPoints }
        hasPoints = found != nil
        points = found.flatMap { try? DistributionPoint.all(in: Array($0.value)) } ?? []
    }

    /// Whether the certificate names a source of this kind, reachable from here or not.
    func names(_ kind: EvidenceSource.Kind) -> Bool {
        switch kind {
        case .response: !responders.isEmpty
        case .list: hasPoints
        case .issuer: !issuers.isEmpty
        }
    }

    /// The usable addresses in the certificate's order, each once, up to the limit.
    func addresses(of kind: EvidenceSource.Kind) -> [String] {
        let names =
            switch kind {
            case .response: responders
            case .list: points.flatMap(\.names)
            case .issuer: issuers
            }
        var addresses: [String] = []
        for address in names.lazy.compactMap(\.fetchable) where !addresses.contains(address) {
            addresses.append(address)
            if addresses.count == EvidenceLimits.maximumSources { break }
        }
        return addresses
    }
}

extension GeneralName {
    /// An `http` URL that a program can be given as it is; nil for every other name.
    ///
    /// RFC 5280 uses HTTP, which needs no further certificate to be checked. LDAP and FTP are not supported, and a
    /// certificate must not name a local file.
    fileprivate var fetchable: String? {
        guard case .uniformResourceIdentifier(let text) = self, text.utf8.count <= EvidenceLimits.maximumURLBytes,
            text.utf8.allSatisfy({ (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) }),
            text.prefix(Self.scheme.count).lowercased() == Self.scheme,
            let first = text.dropFirst(Self.scheme.count).first, !"/?#:@".contains(first)
        else { return nil }
        return text
    }

    private static let scheme = "http://"
}
