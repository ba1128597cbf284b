import TestSupport

@testable import ChatelaineModel

/// Sample programs and access objects of every form.
enum AccessSamples {
    static func digest(_ byte: UInt8) -> ExecutableDigest {
        guard let digest = ExecutableDigest([UInt8](repeating: byte, count: ExecutableDigest.byteCount)) else {
            preconditionFailure("a digest of that many bytes")
        }
        return digest
    }

    static let team: TeamIdentifier = {
        guard let team = TeamIdentifier("ABCDE12345") else { preconditionFailure("a team of ten letters and digits") }
        return team
    }()

    static func signedIdentity(_ name: String, anchor: UInt8 = 1) -> TrustedApplication.Identity {
        .identifier(AccessGroup("ABCDE12345.\(name)", of: TeamOwner(team: team, anchorKey: digest(anchor).value)))
    }

    // MARK: Programs

    /// A program signed by a team.
    static let mail = ACLCaller(
        signedIdentity("mail"), .file, at: "/opt/mail/mail", .valid, in: PartitionID(team))
    /// A program installed by root.
    static let git = ACLCaller(
        .identifier("path:/usr/bin/git"), .file, at: "/usr/bin/git", .valid, in: .apple)
    /// A program installed by root that runs any code it is given.
    static let python = ACLCaller(
        .identifier("path:/usr/bin/python3"), .shared, at: "/usr/bin/python3", .valid, in: .apple)
    /// The `security` command.
    static let tool = ACLCaller(.securityTool, .shared, at: "/usr/bin/security", .valid, in: .appleTool)

    /// A program of the user, known by the content of its file.
    static func sync(_ byte: UInt8 = 7, at path: ExactText = "/home/ada/bin/sync") -> ACLCaller {
        ACLCaller(.digest(digest(byte)), .file, at: path, .unsigned, in: PartitionID(digest(byte)))
    }

    /// A program whose signature does not count or could not be inspected.
    static func unknown(_ standing: CodeStanding) -> ACLCaller {
        ACLCaller(nil, .file, at: "/home/ada/bin/odd", standing, in: nil)
    }

    static let callers: [ACLCaller] =
        [mail, git, python, tool, sync(), unknown(.invalid), unknown(.unreadable)]
        + [ACLCaller.Doubts.inDevelopment, .traced, .preloaded].map { sync().with($0) }
        + [mail.with(.traced), git.with(.traced), git.with(.degraded), mail.with(.degraded), mail.with(.kernel)]
        + [
            git.running(as: 1000, 10), git.running(as: 0, 10), sync().running(as: 1001, 10),
            python.running(as: 1000, 9),
        ]

    // MARK: Objects

    private static let (ada, wheel) = (owner([.user, .honorsRoot], 1000, 7), owner([.user, .group], 1000, 10))

    private static func owner(_ rule: ProcessOwner.Rule, _ user: UInt32, _ group: UInt32) -> ProcessOwner {
        guard let owner = ProcessOwner(rule, user: user, group: group) else { preconditionFailure("no rule") }
        return owner
    }

    static func list(_ programs: ACLCaller..., selector: PromptSelector = []) -> ACLSubject {
        .applications(programs.map(\.known), ACLPrompt("the item", selector))
    }

    /// An access object with one entry for reading and the default owner entry.
    static func reading(_ subject: ACLSubject) -> AccessObject {
        AccessObject(owner: ACLEntry([.changeACL], list()), entries: [ACLEntry([.decrypt], subject)])
    }

    static let everyForm: [AccessObject] = {
        let prompt = ACLPrompt("Jürgen’s \u{1F511}", [.requirePassphrase, .unsignedAct])
        let subjects: [ACLSubject] = [
            .any, .anyDescribed(prompt), .anyDescribed(ACLPrompt("")), list(), list(mail, git, python, tool, sync()),
            .custom([]), .custom([1, 2, 3]), .processes(ada), .processes(wheel),
        ]
        let rights: Set<ACLAuthorization> = [
            .decrypt, .any, .unknown, ACLAuthorization(rawValue: -7), ACLAuthorization(rawValue: .max), .sign,
        ]
        var objects: [AccessObject] = [
            .open, .default(descriptor: "", trusted: []), .default(label: "x", creator: mail.known),
            .default(descriptor: "the item", trusted: [git.known, sync().known]),
        ]
        objects += subjects.map { AccessObject(owner: ACLEntry([], $0), entries: [ACLEntry(rights, $0)]) }
        objects.append(
            AccessObject(
                owner: ACLEntry([.changeOwner], .any),
                entries: subjects.map { ACLEntry([.decrypt], $0) } + [
                    ACLEntry([.integrity], .integrity([9, 9])),
                    ACLEntry([.partitionID], .partition(PartitionList([.appleTool, .apple, PartitionID(team)]))),
                ]))
        return objects
    }()

    /// A small random object that may be stored.
    static func object(using generator: inout SeededGenerator) -> AccessObject {
        let rights: [ACLAuthorization] = [.any, .decrypt, .encrypt, .changeACL, .changeOwner, .sign, .delete]
        func subject() -> ACLSubject {
            let selector = PromptSelector(
                rawValue: [0, 1, 0x20, 0x30, 0x80, 0xC0].randomElement(using: &generator) ?? 0)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: return .any
            case 1: return .anyDescribed(ACLPrompt("x", selector))
            case 2: return [.custom([1]), .processes(ada), .processes(wheel)].randomElement(using: &generator) ?? .any
            default:
                let listed = callers.filter { $0.identity != nil && Bool.random(using: &generator) }.prefix(4)
                return .applications(listed.map(\.known), ACLPrompt("x", selector))
            }
        }
        func entry() -> ACLEntry {
            ACLEntry(Set(rights.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }), subject())
        }
        let count = Int.random(in: 0...4, using: &generator)
        let object = AccessObject(owner: entry(), entries: (0..<count).map { _ in entry() })
        guard Bool.random(using: &generator) else { return object }
        let partitions = callers.compactMap(\.partition).filter { _ in Bool.random(using: &generator) }
        return object.partitioned(PartitionList(partitions))
    }
}

extension ACLCaller {
    func running(as user: UInt32, _ group: UInt32) -> ACLCaller {
        var caller = self
        caller.process = ProcessUser(user: user, group: group)
        return caller
    }

    /// The listed form of an identified caller; a test must not ask for another's.
    var known: TrustedApplication {
        guard let listed else { preconditionFailure("\(path) is nobody") }
        return listed
    }

    func with(_ doubts: Doubts) -> ACLCaller {
        var caller = self
        caller.doubts = doubts
        return caller
    }

    func with(_ assurance: Assurance) -> ACLCaller {
        var caller = self
        caller.assurance = assurance
        return caller
    }
}
