import ChatelaineModel

/// Checks which names a team's programs may have.
package struct NameSpace {
    package let team: TeamIdentifier

    package init(_ team: TeamIdentifier) { self.team = team }

    /// Prefixes of groups that belong to no signed program.
    private static let schemes = ["team:", "path:", "dev:", "pinned:"]

    package func check(
        identifier: String, keychainGroups: [String], applicationGroups: [String]
    ) throws(SignatureFlaw) {
        for name in [identifier] + keychainGroups {
            try check(characters: name)
            guard team.isPrefix(of: name) else {
                throw SignatureFlaw(.wrongPrefix, "\(name) does not begin with \(team) and a full stop")
            }
        }
        for name in applicationGroups {
            try check(characters: name)
            guard !name.isEmpty, !Self.schemes.contains(where: { name.utf8.starts(with: $0.utf8) }) else {
                throw SignatureFlaw(.wrongPrefix, "no application group can have the name \(name)")
            }
        }
    }

    /// Only printable ASCII without space is allowed: Swift, SQLite and people differ in which other names are alike.
    private func check(characters name: String) throws(SignatureFlaw) {
        guard name.utf8.count <= SignatureLimits.maximumNameBytes else {
            throw SignatureFlaw(.tooLarge, "a name has more than \(SignatureLimits.maximumNameBytes) bytes")
        }
        guard name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SignatureFlaw(.badClaim, "\(name) has a character that no name may have")
        }
        guard !name.utf8.contains(UInt8(ascii: "*")) else {
            throw SignatureFlaw(.wrongPrefix, "\(name) has a wildcard")
        }
    }
}
