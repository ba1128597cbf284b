/// The identifier of a team that develops programs: ten characters of A–Z and 0–9, as Apple's team identifiers.
///
/// Every identifier and access group of its programs begins with it. It is the organizational unit of the certificates
/// that sign them.
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

    /// Whether a name is in the team's name space: the identifier, a full stop, and at least a character more.
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

/// A team together with the key of its anchor.
///
/// Everything that a signed program owns belongs to both, so that another anchor with the same team inherits nothing.
package struct TeamOwner: Hashable, Sendable {
    package let team: TeamIdentifier
    /// SHA-256 of the anchor's public key, as `SubjectPublicKeyInfo` (RFC 5280).
    ///
    /// A renewed certificate keeps the key, and so the owner.
    package let anchorKey: Bytes32

    package init(team: TeamIdentifier, anchorKey: Bytes32) {
        self.team = team
        self.anchorKey = anchorKey
    }
}

extension AccessGroup {
    /// Unsigned programs have the schemes `path:`, `dev:` or `pinned:`.
    private static let teamScheme = "team:"
    /// The bytes before the name: the scheme, the team, and the anchor's key in hexadecimal, with their colons.
    private static let qualifierBytes = teamScheme.utf8.count + TeamIdentifier.length + 1 + Bytes32.count * 2 + 1

    /// A group or identifier of signed programs as it is stored: with its owner, since any team can choose a name.
    package init(_ name: String, of owner: TeamOwner) {
        self.init("\(Self.teamScheme)\(owner.team):\(owner.anchorKey):\(name)")
    }

    /// The name that programs use, without the owner; the whole text for an unsigned program.
    package var name: String {
        guard isOfTeam else { return text }
        return String(text.utf8.dropFirst(Self.qualifierBytes)) ?? text
    }

    /// Whether a program that names `other` means this group. It compares bytes, and creates no text.
    package func isCalled(_ other: AccessGroup) -> Bool {
        guard isOfTeam else { return self == other }
        return text.utf8.count == Self.qualifierBytes + other.text.utf8.count
            && text.utf8.dropFirst(Self.qualifierBytes).elementsEqual(other.text.utf8)
    }

    /// Whether this is a group of signed programs.
    package var isOfTeam: Bool { text.utf8.starts(with: Self.teamScheme.utf8) && text.utf8.count > Self.qualifierBytes }
}

/// Who declared an anchor to be a team's. The numbers are on the wire.
package enum AnchorOrigin: UInt8, CBORValue, Sendable {
    /// Root, by a file below `/etc`.
    case root = 1
    /// The person, by `security app team add`.
    case person = 2
}
