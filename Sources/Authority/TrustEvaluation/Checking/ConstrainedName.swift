import X509

/// The forms of names that constraints tell apart.
enum NameForm: Hashable {
    case email, host, location, address, directory, otherName, x400, ediParty, registeredID

    init(_ name: GeneralName) {
        self =
            switch name {
            case .rfc822Name: .email
            case .dnsName: .host
            case .uniformResourceIdentifier: .location
            case .ipAddress: .address
            case .directoryName: .directory
            case .otherName: .otherName
            case .x400Address: .x400
            case .ediPartyName: .ediParty
            case .registeredID: .registeredID
            }
    }
}

/// A name of a certificate, ready to be compared with many subtrees.
///
/// Strangers choose names and subtrees, and each name meets each subtree. So what takes long for a long name is done
/// once for each name, and not for each comparison.
struct ConstrainedName {
    enum Value {
        case mailbox(LocalPart, host: [UInt8])
        case host([UInt8])
        case address([UInt8])
        case directory(NumberedName)
        /// A name of which nothing can be said: text that is not allowed there may mean any name.
        case unclear
    }

    let form: NameForm
    let value: Value

    init(_ name: GeneralName, _ numbers: inout NameNumbers) {
        form = NameForm(name)
        value =
            switch name {
            case .rfc822Name(let text): Self.mailbox(text) ?? .unclear
            case .dnsName(let text): HostText.plain(text).map { .host($0) } ?? .unclear
            case .uniformResourceIdentifier(let text): Self.host(of: text).map { .host($0) } ?? .unclear
            case .ipAddress(let address): .address(Array(address.bytes))
            case .directoryName(let name): .directory(NumberedName(name, &numbers))
            default: .unclear
            }
    }

    private static func mailbox(_ text: String) -> Value? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let at = text.utf8.lastIndex(of: UInt8(ascii: "@")),
            let host = HostText.plain(text[text.index(after: at)...])
        else { return nil }
        return .mailbox(LocalPart(text.utf8[..<at]), host: host)
    }

    /// Nil if a URI has no host, or an address as its host.
    private static func host(of text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let colon = text.firstIndex(of: ":"),
            text[colon...].hasPrefix("://")
        else { return nil }
        let authority = text[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard let name = HostText.plain(host.prefix { $0 != ":" }), let first = name.first, first != UInt8(ascii: "[")
        else { return nil }
        return name
    }
}

/// What is before the host in an e-mail address.
struct LocalPart {
    private let bytes: [UInt8]
    private let small: [UInt8]

    init(_ text: some Sequence<UInt8>) { (bytes, small) = (Array(text), HostText.small(text)) }

    /// The host decides whether the case of letters matters, so a difference in case is undecided.
    func isSame(as other: LocalPart) -> Bool? { bytes == other.bytes ? true : small == other.small ? nil : false }
}

/// The text of a host or domain.
enum HostText {
    /// The text in small letters and without a dot at its end; nil for text beyond ASCII.
    static func plain(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let small = small(text.utf8)
        return small.last == UInt8(ascii: ".") ? small.dropLast() : small
    }

    /// The bytes with small letters of ASCII.
    static func small(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Whether a name ends with a dot and the domain.
    static func isBelow(_ name: some BidirectionalCollection<UInt8>, _ domain: some BidirectionalCollection<UInt8>)
        -> Bool
    {
        guard name.count > domain.count, name.reversed().starts(with: domain.reversed()) else { return false }
        return name[name.index(name.endIndex, offsetBy: -domain.count - 1)] == UInt8(ascii: ".")
    }
}
