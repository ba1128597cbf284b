import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

@testable import SecurityTool

/// Requests about teams and programs.
extension FakeKeychain {
    static func team(_ name: String = "ABCDE12345", _ origin: AnchorOrigin = .person) -> TeamDescription {
        guard let identifier = TeamIdentifier(name) else { preconditionFailure("\(name) is no team") }
        var team = TeamDescription(team: identifier, origin: origin)
        team.anchorKey = Bytes32([UInt8](repeating: 0xCD, count: Bytes32.count))
        team.subject = "OU=\(name)"
        (team.validFrom, team.validUntil) = (1_700_000_000, 2_000_000_000)
        return team
    }

    static func program(
        _ state: ApplicationState, at path: String = "/opt/mail"
    ) -> ApplicationDescription {
        guard let digest = Bytes32([UInt8](repeating: 0xAB, count: Bytes32.count)) else {
            preconditionFailure("no digest")
        }
        return ApplicationDescription(path: path, state: state, digest: digest)
    }

    func adopt(_ request: AdoptItems, passcode: SecretBytes?) throws(KeychainError) -> AdoptionReport {
        given.withLock { $0.append(passcode) }
        asked.withLock { $0.append(.adopt(request)) }
        let (former, group): (AccessGroup, AccessGroup) = ("pinned:/opt/writer", "ABCDE12345.com.example.writer")
        return request.isReturn
            ? AdoptionReport(items: 1, former: group, group: former)
            : AdoptionReport(items: 24, former: former, group: group)
    }

    func application(at path: String) throws(KeychainError) -> ApplicationDescription {
        asked.withLock { $0.append(.application(path)) }
        var program = Self.program(isSigned.withLock { $0 } ? .signed : .rejected)
        var signature = ApplicationDescription.Signature(path: "/opt/mail.codesig")
        if program.state == .signed {
            program.groups = [
                .init("ABCDE12345.shared", from: .keychainGroups), .init("ABCDE12345.mail", from: .identifier),
                .init("group.mail", from: .applicationGroups),
            ]
            signature.team = Self.team().team
            signature.anchorKey = Self.team().anchorKey
            signature.origin = .person
            signature.identifier = "ABCDE12345.mail"
            signature.validUntil = 2_000_000_000
        } else {
            signature.defect = .expired
            signature.detail = "a\u{1B}[2J"
        }
        program.signature = signature
        return program
    }

    func teams(_ command: TeamCommand, passcode: SecretBytes?) throws(KeychainError) -> [TeamDescription] {
        given.withLock { $0.append(passcode) }
        asked.withLock { $0.append(.teams(command)) }
        var unusable = Self.team("ZZZZZ99999", .root)
        (unusable.anchorKey, unusable.problem) = (nil, "it is a symbolic link")
        return [Self.team(), unusable]
    }
}
