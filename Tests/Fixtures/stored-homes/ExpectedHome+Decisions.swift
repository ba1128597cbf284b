import Foundation

extension ExpectedHome {
    /// The list of programs without its programs (`Documentation/formats/identity-files.md`). Bytes are hexadecimal
    /// digits.
    package struct Decisions: Codable, Sendable, Equatable {
        package struct Team: Codable, Sendable, Equatable {
            package var team: String
            package var anchorKey: String
            package var certificate: String
            package var subject: String
            package var validFrom: Int64
            package var validUntil: Int64

            package init(
                team: String, anchorKey: String, certificate: String, subject: String, validFrom: Int64,
                validUntil: Int64
            ) {
                self.team = team
                self.anchorKey = anchorKey
                self.certificate = certificate
                self.subject = subject
                self.validFrom = validFrom
                self.validUntil = validUntil
            }
        }

        package struct Adoption: Codable, Sendable, Equatable {
            package var path: String
            package var digest: String
            /// The group, with its owner.
            package var group: String

            package init(path: String, digest: String, group: String) {
                self.path = path
                self.digest = digest
                self.group = group
            }
        }

        package struct Change: Codable, Sendable, Equatable {
            package var path: String
            package var former: String
            package var digest: String

            package init(path: String, former: String, digest: String) {
                self.path = path
                self.former = former
                self.digest = digest
            }
        }

        package var teams: [Team] = []
        package var adoptions: [Adoption] = []
        package var changes: [Change] = []

        package init() {}
    }
}
