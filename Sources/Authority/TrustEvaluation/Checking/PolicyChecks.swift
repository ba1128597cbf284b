import ChatelaineModel
import SwiftASN1
import X509

extension TrustPolicy {
    /// The defects of the judged certificate under this policy alone.
    ///
    /// - Parameter isDistributed: whether its chain leads to a root of the distribution.
    func defects(of leaf: ReadCertificate, isDistributed: Bool) -> Set<TrustDefect> {
        guard let extensions = leaf.extensions else { return [] }
        var found: Set<TrustDefect> = []
        if purpose.terms.hasPurposes, !allows(extensions.purposes, validFrom: leaf.validFrom) {
            found.insert(.wrongPurpose)
        }
        if let usage = extensions.keyUsage, !allows(usage) { found.insert(.wrongKeyUsage) }
        // A policy that names uses requires them to be named: a certificate without the extension does not name them.
        if keyUsage & ~(extensions.keyUsage?.bits ?? 0) != 0 { found.insert(.wrongKeyUsage) }
        if let name, !isNamed(name, in: leaf, extensions) {
            found.insert(purpose.terms.names == .emailAddresses ? .wrongEmailAddress : .wrongHostName)
        }
        if purpose == .ssl, !isClient, ServerLifetime.isTooLong(leaf, isDistributed: isDistributed) {
            found.insert(.validForTooLong)
        }
        return found
    }

    /// Whether an issuer's own limit of purposes, if it has one, allows this policy.
    func allows(issuer: ReadCertificate) -> Bool {
        guard let purposes = issuer.extensions?.purposes else { return true }
        return !Set(purposes).isDisjoint(with: accepted.union([.ExtendedKeyUsageIdentifiers.any]))
    }

    private func allows(_ purposes: [ASN1ObjectIdentifier]?, validFrom: Int64) -> Bool {
        switch (purpose.terms.demand, purposes) {
        case (.none, nil): true
        case (.presentOfServers, nil): isClient || validFrom < ServerLifetime.limited
        case (.present, nil), (.alone, nil): false
        case (.alone, let purposes?): purposes.count == 1 && accepted.contains(purposes[0])
        case (_, let purposes?): !Set(purposes).isDisjoint(with: accepted.union([.ExtendedKeyUsageIdentifiers.any]))
        }
    }

    /// The purposes of which one is enough.
    private var accepted: Set<ASN1ObjectIdentifier> {
        Set(
            purpose.terms.purposes(isClient: isClient).compactMap { text in
                try? ASN1ObjectIdentifier(dotRepresentation: text[...])
            })
    }

    private func allows(_ usage: KeyUsage) -> Bool {
        guard let uses = purpose.terms.keyUsage else { return true }
        return usage.bits & uses != 0
    }

    private func isNamed(_ name: String, in leaf: ReadCertificate, _ extensions: ReadExtensions) -> Bool {
        switch purpose.terms.names {
        case .hosts: HostName(name)?.isNamed(by: extensions.names) ?? false
        case .emailAddresses:
            // Beyond ASCII, some characters equal another one once they are small letters.
            name.isASCII
                && leaf.emailAddresses.contains { $0.isASCII && $0.lowercased() == name.lowercased() }
        case .none, .passedOver: true
        }
    }
}

extension KeyUsage {
    /// The bits in Apple's order: the first bit of the extension is the lowest.
    fileprivate var bits: UInt64 {
        [
            digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment, keyAgreement, keyCertSign, cRLSign,
            encipherOnly, decipherOnly,
        ].enumerated().reduce(0) { $1.element ? $0 | 1 << UInt64($1.offset) : $0 }
    }
}

/// The longest validity of a server's certificate.
enum ServerLifetime {
    private static let day: Int64 = 86_400
    /// 1 July 2019: a server's certificate issued from then on may be valid for at most 825 days.
    static let limited: Int64 = 1_561_939_200
    /// 1 September 2020: from then on, 398 days are the most under a root that came with the system.
    private static let limitedMore: Int64 = 1_598_918_400

    static func isTooLong(_ leaf: ReadCertificate, isDistributed: Bool) -> Bool {
        let seconds = leaf.validUntil - leaf.validFrom
        if isDistributed, leaf.validFrom >= limitedMore { return seconds > 398 * day }
        return leaf.validFrom >= limited && seconds > 825 * day
    }
}

extension ReadCertificate {
    /// The addresses of the alternative names, or else of the subject.
    var emailAddresses: [String] {
        let named = (extensions?.names ?? []).compactMap { name -> String? in
            if case .rfc822Name(let address) = name { address } else { nil }
        }
        guard named.isEmpty else { return named }
        return certificate.subject.flatMap { $0 }.filter { $0.type == .RDNAttributeType.emailAddress }
            .compactMap { String($0.value) }
    }
}

extension ASN1ObjectIdentifier {
    /// Purposes of RFC 5280.
    enum ExtendedKeyUsageIdentifiers {
        static let any: ASN1ObjectIdentifier = [2, 5, 29, 37, 0]
        static let ocspSigning: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 9]
    }
}
