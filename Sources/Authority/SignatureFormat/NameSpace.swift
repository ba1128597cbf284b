import ChatelaineModel

/// Which names a team's programs may have.
package struct NameSpace {
    package let team: TeamIdentifier

    package init(_ team: TeamIdentifier) { self.team = team }

    /// How names of groups begin that are no signed program's.
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

    /// Printable ASCII without space: Swift, SQLite and people each have another idea of which other names are alike.
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
