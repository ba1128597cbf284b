import X509

/// A constraint on names of one form, ready to be compared with many names.
struct NameSubtree {
    fileprivate enum Value {
        /// A domain and its hosts, or one of the two.
        case domain(Domain)
        case mailbox(LocalPart, host: [UInt8])
        /// An address and a mask of the same length.
        case range([UInt8])
        case directory(NumberedName)
        /// A constraint that is not understood; it may mean any name.
        case unclear
    }

    fileprivate struct Domain {
        /// Without the dot or star before it; empty for all domains.
        let name: [UInt8]
        /// What is before the name.
        let lead: Lead

        enum Lead {
            case none, dot
            /// Nothing says what a star means in a constraint. It may mean all hosts of the domain.
            case star
        }
    }

    let form: NameForm
    fileprivate let value: Value

    init(_ name: GeneralName, _ numbers: inout NameNumbers) {
        form = NameForm(name)
        value =
            switch name {
            case .rfc822Name(let text): Self.mailbox(text)
            case .dnsName(let text), .uniformResourceIdentifier(let text): Self.domain(text)
            case .ipAddress(let range): .range(Array(range.bytes))
            case .directoryName(let name): .directory(NumberedName(name, &numbers))
            default: .unclear
            }
    }

    /// The comparisons that a name takes.
    var cost: Int { if case .directory(let name) = value { name.comparisons } else { 1 } }

    /// A constraint is one address, all addresses of a host, or all of a domain's hosts.
    private static func mailbox(_ text: String) -> Value {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return domain(text) }
        let local = Array(text.utf8[..<at])
        let host = text[text.index(after: at)...]
        // RFC 5280 knows no address without a name before the host. openssl takes it for the host, too.
        guard !local.isEmpty else { return domain(host) }
        guard let host = HostText.plain(host), local.allSatisfy({ $0 < 0x80 }) else { return .unclear }
        // A star may mean all addresses of the host.
        if local.contains(UInt8(ascii: "*")) { return .domain(Domain(name: host, lead: .star)) }
        return .mailbox(LocalPart(local), host: host)
    }

    private static func domain(_ text: some StringProtocol) -> Value {
        guard let name = HostText.plain(text) else { return .unclear }
        let dot = UInt8(ascii: ".")
        let domain =
            if name.starts(with: [UInt8(ascii: "*"), dot]) {
                Domain(name: Array(name.dropFirst(2)), lead: .star)
            } else if name.first == dot {
                Domain(name: Array(name.dropFirst()), lead: .dot)
            } else {
                Domain(name: name, lead: .none)
            }
        return domain.name.contains(UInt8(ascii: "*")) ? .unclear : .domain(domain)
    }

    /// Whether a name of the same form is within the subtree; nil if that cannot be decided.
    func contains(_ name: ConstrainedName) -> Bool? {
        switch (name.value, value) {
        case (.host(let host), .domain(let domain)):
            form == .host ? domain.contains(name: host) : domain.contains(host: host)
        case (.mailbox(_, let host), .domain(let domain)): domain.contains(host: host)
        case (.mailbox(let local, let host), .mailbox(let wanted, let wantedHost)):
            host == wantedHost ? local.isSame(as: wanted) : false
        case (.address(let address), .range(let range)): Self.isWithin(address, range)
        case (.directory(let name), .directory(let subtree)): name.isWithin(subtree)
        default: nil
        }
    }

    private static func isWithin(_ address: [UInt8], _ range: [UInt8]) -> Bool? {
        guard range.count == 2 * address.count, address.count == 4 || address.count == 16 else {
            return range.count == 8 || range.count == 32 ? false : nil
        }
        return address.indices.allSatisfy { index in
            let mask = range[address.count + index]
            return address[index] & mask == range[index] & mask
        }
    }
}

extension NameSubtree.Domain {
    /// Whether a host name equals the domain or is below it.
    ///
    /// A name with a star may stand for others, so nil is possible.
    fileprivate func contains(name host: [UInt8]) -> Bool? {
        if name.isEmpty { return lead == .star ? nil : true }
        // `*.example.com` is not `www.example.com`, but may stand for it.
        if lead == .none, host.starts(with: Array("*.".utf8)), HostText.isBelow(name, host.dropFirst(2)) { return nil }
        let isBelow = HostText.isBelow(host, name)
        return switch lead {
        case .none: isBelow || host == name
        case .dot: isBelow
        case .star: isBelow || host == name ? nil : false
        }
    }

    /// Whether the host of an address or URI is within: a dot before the domain means its hosts, and without the dot it
    /// is that host alone.
    fileprivate func contains(host: [UInt8]) -> Bool? {
        if name.isEmpty { return lead == .star ? nil : true }
        return switch lead {
        case .none: host == name
        case .dot: HostText.isBelow(host, name)
        case .star: HostText.isBelow(host, name) || host == name ? nil : false
        }
    }
}
