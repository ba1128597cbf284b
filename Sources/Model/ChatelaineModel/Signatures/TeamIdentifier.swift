/// Who develops programs together: ten of A–Z and 0–9, as Apple's team identifiers are.
///
/// It stands before every identifier and access group of its programs, and is the organizational unit of the certificates that sign them.
package struct TeamIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let length = 10

    package let text: String

    /// Nil unless there are exactly ``length`` capital letters and digits of ASCII.
    package init?(_ text: some StringProtocol) {
        let utf8 = text.utf8
        guard utf8.count == Self.length,
            utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (0x30...0x39).contains($0) })
        else { return nil }
        self.text = String(text)
    }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Whether a name is in the team's name space: the identifier, a full stop, and something besides.
    package func isPrefix(of name: String) -> Bool {
        let prefix = "\(text)."
        return name.utf8.starts(with: prefix.utf8) && name.utf8.count > prefix.utf8.count
    }

    package var description: String { text }
}

extension TeamIdentifier: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(text) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let team = Self(try reader.readText()) else { throw .outOfRange }
        self = team
    }
}

/// A team together with the key that stands at the beginning of its certificates.
///
/// All that a signed program owns is kept under both. So another anchor for a team's name inherits nothing.
package struct TeamOwner: Hashable, Sendable {
    package let team: TeamIdentifier
    /// SHA-256 of the anchor's public key, as `SubjectPublicKeyInfo` (RFC 5280). A renewed certificate of the same key is the same owner.
    package let anchorKey: Bytes32

    package init(team: TeamIdentifier, anchorKey: Bytes32) {
        self.team = team
        self.anchorKey = anchorKey
    }
}

extension AccessGroup {
    /// No path begins so: what is unsigned is `path:`, `dev:` or `pinned:`.
    private static let teamScheme = "team:"
    /// The scheme, the team, the anchor's key in hexadecimal, and a colon behind each of them.
    private static let qualifierBytes = teamScheme.utf8.count + TeamIdentifier.length + 1 + Bytes32.count * 2 + 1

    /// A group of signed programs, or the identifier of one, as it is kept: with its owner, since anybody can choose a name.
    package init(_ name: String, of owner: TeamOwner) {
        self.init("\(Self.teamScheme)\(owner.team):\(owner.anchorKey):\(name)")
    }

    /// What programs call it: the name without its owner. Of an unsigned program's group all of it.
    package var name: String {
        guard isOfTeam else { return text }
        return String(text.utf8.dropFirst(Self.qualifierBytes)) ?? text
    }

    /// Whether a program that says `other` means this one; byte for byte, and without taking any text apart for all others.
    package func isCalled(_ other: AccessGroup) -> Bool {
        guard isOfTeam else { return self == other }
        return text.utf8.count == Self.qualifierBytes + other.text.utf8.count
            && text.utf8.dropFirst(Self.qualifierBytes).elementsEqual(other.text.utf8)
    }

    /// Whether it is one of signed programs.
    package var isOfTeam: Bool { text.utf8.starts(with: Self.teamScheme.utf8) && text.utf8.count > Self.qualifierBytes }
}
