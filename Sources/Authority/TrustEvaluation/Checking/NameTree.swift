import ChatelaineModel
import SwiftASN1
import X509

/// Name constraints (RFC 5280, 4.2.1.10): which names the certificates below an issuer may have.
///
/// swift-certificates has them for host names, addresses and URIs, and refuses a chain with any others. Here are those of e-mail
/// addresses and of distinguished names as well.
enum NameTree {
    /// Comparisons for one chain. Thousands of names under thousands of constraints are no certificate that anybody uses.
    static let comparisons = 250_000

    static func check(_ chain: [ReadCertificate], _ defects: inout [Set<TrustDefect>]) {
        var left = comparisons
        for issuer in chain.indices.dropFirst() {
            guard let constraints = chain[issuer].extensions?.nameConstraints else { continue }
            for index in 0..<issuer {
                // One between that issued itself anew has its issuer's own names.
                if index > 0, chain[index].isSelfIssued { continue }
                if !constraints.allow(chain[index].allNames, &left) { defects[index].insert(.nameNotAllowed) }
            }
        }
    }
}

extension NameConstraints {
    fileprivate func allow(_ names: [GeneralName], _ left: inout Int) -> Bool {
        for name in names {
            left -= permittedSubtrees.count + excludedSubtrees.count
            guard left >= 0 else { return false }
            if excludedSubtrees.contains(where: { name.isOfSameForm(as: $0) && name.isWithin($0) != false }) {
                return false
            }
            let permitted = permittedSubtrees.filter { name.isOfSameForm(as: $0) }
            guard permitted.isEmpty || permitted.contains(where: { name.isWithin($0) == true }) else { return false }
        }
        return true
    }
}

extension ReadCertificate {
    /// The subject, the alternative names, and the e-mail address of a subject that has no such name.
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

    /// Nil where nobody here can say, which is then for neither side to profit from.
    fileprivate func isWithin(_ subtree: GeneralName) -> Bool? {
        switch (self, subtree) {
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

    /// A name is within a domain that it is, or ends with after a dot. A star may stand for a name that is not.
    private static func isWithin(_ name: String, domain: String) -> Bool? {
        let (name, domain) = (trimmed(name), trimmed(domain))
        if domain.isEmpty { return true }
        if domain.hasPrefix(".") { return name.hasSuffix(domain) }
        // `*.example.com` is not `www.example.com`, and may be.
        if name.hasPrefix("*."), domain.hasSuffix(name.dropFirst()) { return domain == name.dropFirst(2) ? true : nil }
        return name == domain || name.hasSuffix("." + domain)
    }

    /// One address, all of a host, or all of a domain's hosts.
    private static func isWithin(address: String, _ subtree: String) -> Bool? {
        guard let at = address.lastIndex(of: "@") else { return nil }
        let host = trimmed(String(address[address.index(after: at)...]))
        guard let wanted = subtree.lastIndex(of: "@") else { return isWithin(host: host, subtree) }
        guard host == trimmed(String(subtree[subtree.index(after: wanted)...])) else { return false }
        if address[..<at] == subtree[..<wanted] { return true }
        // Whether letters of either case are one is that host's to say, and none says that they are not.
        return address[..<at].lowercased() == subtree[..<wanted].lowercased() ? nil : false
    }

    /// With a dot before it, a domain's hosts; else that host alone.
    private static func isWithin(host: String, _ domain: String) -> Bool {
        let domain = trimmed(domain)
        return domain.isEmpty || (domain.hasPrefix(".") ? host.hasSuffix(domain) : host == domain)
    }

    /// Nil where a URI has none, or an address.
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
    /// Whether it begins with all parts of `subtree`; nil where one of them is in an encoding that is not read here.
    fileprivate func isWithin(_ subtree: DistinguishedName) -> Bool? {
        guard count >= subtree.count else { return false }
        return Comparison.all(zip(self, subtree).map { $0.isSame(as: $1) })
    }
}

extension RelativeDistinguishedName {
    /// Attributes of one part of a name that are compared with each other; usual parts have one, and more than a few nobody has.
    private static let maximumAttributes = 16

    fileprivate func isSame(as other: RelativeDistinguishedName) -> Bool? {
        guard count == other.count else { return false }
        guard count <= Self.maximumAttributes else { return nil }
        // Each of either has to be one of the other.
        let found = map { mine in Comparison.any(other.map { mine.isSame(as: $0) }) }
        return Comparison.all(found + other.map { theirs in Comparison.any(map { theirs.isSame(as: $0) }) })
    }
}

extension RelativeDistinguishedName.Attribute {
    /// Letters of either case, and however many blanks, are one name (RFC 5280, 7.1).
    fileprivate func isSame(as other: Self) -> Bool? {
        guard type == other.type else { return false }
        if let mine = comparable, let theirs = other.comparable { return mine == theirs }
        return value == other.value ? true : nil
    }

    /// Nil for texts of the older kinds.
    private var comparable: String? {
        String(value).map { $0.lowercased().split(separator: " ").joined(separator: " ") }
    }
}

/// Answers of which some are that nobody knows.
private enum Comparison {
    static func all(_ answers: [Bool?]) -> Bool? {
        answers.contains(false) ? false : answers.contains(nil) ? nil : true
    }

    static func any(_ answers: [Bool?]) -> Bool? {
        answers.contains(true) ? true : answers.contains(nil) ? nil : false
    }
}
