import ChatelaineModel
import SwiftASN1
import TrustProtocol
import X509

/// Where a certificate says that its issuer, answers about it, and lists of revoked certificates are to be had (RFC 5280, 4.2.2.1 and 4.2.1.13).
///
/// Whoever made the certificate chose these, so an extension that cannot be read names nothing, and no chain is worse for it.
struct NamedSources {
    /// Of all servers that answer by OCSP.
    let responders: [GeneralName]
    let issuers: [GeneralName]
    /// Points of which each is of all certificates and of all reasons, and whose list the issuer itself signs.
    let points: [DistributionPoint]
    /// Whether there are points at all, those that are not used here included.
    private let hasPoints: Bool

    private static let distributionPoints: ASN1ObjectIdentifier = [2, 5, 29, 31]

    init(_ certificate: Certificate) {
        let access = (try? certificate.extensions.authorityInformationAccess).map { Array($0) } ?? []
        responders = access.filter { $0.method == .ocspServer }.map(\.location)
        issuers = access.filter { $0.method == .issuingCA }.map(\.location)
        let found = certificate.extensions.first { $0.oid == Self.distributionPoints }
        hasPoints = found != nil
        points = found.flatMap { try? DistributionPoint.all(in: Array($0.value)) } ?? []
    }

    /// Whether it names anybody who has this, reachable from here or not.
    func names(_ kind: EvidenceSource.Kind) -> Bool {
        switch kind {
        case .response: !responders.isEmpty
        case .list: hasPoints
        case .issuer: !issuers.isEmpty
        }
    }

    /// Addresses that can be asked, in the certificate's order, each once; as many as are of use.
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
    /// A URL of `http` that a program can be handed as it is; nil for every other name.
    ///
    /// RFC 5280 has these by HTTP, which needs no certificate to be looked at in turn. LDAP and FTP are not spoken, and a file is nobody's to name.
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
