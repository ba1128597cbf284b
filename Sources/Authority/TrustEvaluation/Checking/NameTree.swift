import ChatelaineModel
import SwiftASN1
import X509

/// Checks name constraints (RFC 5280, 4.2.1.10): the names that certificates below an issuer may have.
///
/// swift-certificates supports host names, addresses and URIs, and refuses a chain with any other constraint. This
/// check also supports e-mail addresses and distinguished names.
enum NameTree {
    /// The most comparisons for one chain.
    ///
    /// No certificate in use has thousands of names under thousands of constraints.
    static let comparisons = 250_000

    static func check(_ chain: [ReadCertificate], _ defects: inout [Set<TrustDefect>]) {
        var left = comparisons
        for issuer in chain.indices.dropFirst() {
            guard let constraints = chain[issuer].extensions?.nameConstraints else { continue }
            for index in 0..<issuer {
                // A self-issued certificate in between has its issuer's own names.
                if index > 0, chain[index].isSelfIssued { continue }
                if !constraints.allow(chain[index].allNames, &left) { defects[index].insert(.nameNotAllowed) }
            }
        }
    }
}

extension NameSubtrees {
    fileprivate func allow(_ names: [GeneralName], _ left: inout Int) -> Bool {
        for name in names {
            left -= permitted.count + excluded.count
            guard left >= 0 else { return false }
            if excluded.contains(where: { name.isOfSameForm(as: $0) && name.isWithin($0) != false }) {
                return false
            }
            let same = permitted.filter { name.isOfSameForm(as: $0) }
            guard same.isEmpty || same.contains(where: { name.isWithin($0) == true }) else { return false }
        }
        return true
    }
}

extension ReadCertificate {
    /// The subject, the alternative names, and the e-mail address of the subject if no alternative name has one.
    var allNames: [GeneralName] {
        let subject = certificate.subject
        let alternative = extensions?.names ?? []
        let hasAddress = alternative.contains { if case .rfc822Name = $0 { true } else { false } }
        return (subject.isEmpty ? [] : [.directoryName(subject)]) + alternative
            + (hasAddress ? [] : emailAddresses.map { .rfc822Name($0) })
    }
}

extension GeneralName {
    fileprivate func isOfSameForm(as other: GeneralName) -> Bool {
        switch (self, other) {
        case (.rfc822Name, .rfc822Name), (.dnsName, .dnsName), (.directoryName, .directoryName),
            (.uniformResourceIdentifier, .uniformResourceIdentifier), (.ipAddress, .ipAddress),
            (.otherName, .otherName), (.x400Address, .x400Address), (.ediPartyName, .ediPartyName),
            (.registeredID, .registeredID):
            true
        default: false
        }
    }

    /// Nil if it cannot be decided; the name is then refused.
    fileprivate func isWithin(_ subtree: GeneralName) -> Bool? {
        switch (self, subtree) {
        // Text that is not allowed there may mean any address.
        case (.rfc822Name(let text), _) where !text.isASCII: nil
        case (.uniformResourceIdentifier(let text), _) where !text.isASCII: nil
        case (.dnsName(let name), .dnsName(let domain)): Self.isWithin(name, domain: domain)
        case (.rfc822Name(let address), .rfc822Name(let subtree)): Self.isWithin(address: address, subtree)
        case (.uniformResourceIdentifier(let text), .uniformResourceIdentifier(let domain)):
            Self.host(of: text).flatMap { Self.isWithin(host: $0, domain) }
        case (.ipAddress(let address), .ipAddress(let range)):
            Self.isWithin(Array(address.bytes), range: Array(range.bytes))
        case (.directoryName(let name), .directoryName(let subtree)): name.isWithin(subtree)
        default: nil
        }
    }

    /// Whether a name equals a domain, or ends with a dot and the domain.
    ///
    /// A name with a star may stand for others, so nil is possible.
    private static func isWithin(_ name: String, domain: String) -> Bool? {
        let (name, domain) = (trimmed(name), trimmed(domain))
        if domain.isEmpty { return true }
        if domain.hasPrefix(".") { return name.hasSuffix(domain) }
        // `*.example.com` is not `www.example.com`, but may stand for it.
        if name.hasPrefix("*."), domain.hasSuffix(name.dropFirst()) { return domain == name.dropFirst(2) ? true : nil }
        return name == domain || name.hasSuffix("." + domain)
    }

    /// A constraint is one address, all addresses of a host, or all of a domain's hosts.
    private static func isWithin(address: String, _ subtree: String) -> Bool? {
        guard let at = address.lastIndex(of: "@") else { return nil }
        let host = trimmed(String(address[address.index(after: at)...]))
        guard let wanted = subtree.lastIndex(of: "@") else { return isWithin(host: host, subtree) }
        guard host == trimmed(String(subtree[subtree.index(after: wanted)...])) else { return false }
        if address[..<at] == subtree[..<wanted] { return true }
        // The host of an address decides whether the case of letters matters, so a difference in case is undecided.
        return address[..<at].lowercased() == subtree[..<wanted].lowercased() ? nil : false
    }

    /// A domain with a dot before it means its hosts; without the dot, that host alone.
    private static func isWithin(host: String, _ domain: String) -> Bool {
        let domain = trimmed(domain)
        return domain.isEmpty || (domain.hasPrefix(".") ? host.hasSuffix(domain) : host == domain)
    }

    /// Nil if a URI has no host, or an address as its host.
    private static func host(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let authority = text[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let name = trimmed(String(host.prefix { $0 != ":" }))
        return name.isEmpty || name.hasPrefix("[") ? nil : name
    }

    private static func trimmed(_ text: String) -> String {
        let text = text.lowercased()
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// A range is an address and a mask of the same length.
    private static func isWithin(_ address: [UInt8], range: [UInt8]) -> Bool? {
        guard range.count == 2 * address.count, address.count == 4 || address.count == 16 else {
            return range.count == 8 || range.count == 32 ? false : nil
        }
        return address.indices.allSatisfy { index in
            let mask = range[address.count + index]
            return address[index] & mask == range[index] & mask
        }
    }
}

extension DistinguishedName {
    /// Whether the name begins with all parts of `subtree`; nil if a part is in an unsupported encoding.
    fileprivate func isWithin(_ subtree: DistinguishedName) -> Bool? {
        guard count >= subtree.count else { return false }
        return Comparison.all(zip(self, subtree).map { $0.isSame(as: $1) })
    }
}

extension RelativeDistinguishedName {
    /// The most attributes in one part of a name that are compared.
    ///
    /// Usual parts have one, and none has more than a few.
    private static let maximumAttributes = 16

    fileprivate func isSame(as other: RelativeDistinguishedName) -> Bool? {
        guard count == other.count else { return false }
        guard count <= Self.maximumAttributes else { return nil }
        // Each attribute of either part must occur in the other.
        let found = map { mine in Comparison.any(other.map { mine.isSame(as: $0) }) }
        return Comparison.all(found + other.map { theirs in Comparison.any(map { theirs.isSame(as: $0) }) })
    }
}

extension RelativeDistinguishedName.Attribute {
    /// Whether two attributes are equal; case and the number of blanks do not matter (RFC 5280, 7.1).
    fileprivate func isSame(as other: Self) -> Bool? {
        guard type == other.type else { return false }
        if let mine = comparable, let theirs = other.comparable { return mine == theirs }
        return value == other.value ? true : nil
    }

    /// Nil for older kinds of text.
    private var comparable: String? {
        String(value).map(ComparableName.folded)
    }
}

/// Combines answers, some of which may be unknown.
private enum Comparison {
    static func all(_ answers: [Bool?]) -> Bool? {
        answers.contains(false) ? false : answers.contains(nil) ? nil : true
    }

    static func any(_ answers: [Bool?]) -> Bool? {
        answers.contains(true) ? true : answers.contains(nil) ? nil : false
    }
}
