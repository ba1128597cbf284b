import ChatelaineMemory
import ChatelaineModel

/// An access object as macOS's `dump-keychain -a` prints it: every entry, the owner's last.
///
/// Descriptions and paths come from other programs, so that a character that would begin a line is shown as an escape.
struct AccessRecord {
    /// How the program at the path of a listed one compares to it.
    enum Standing {
        case same
        /// There is no program, or another one.
        case differs(Status)
    }

    let access: AccessObject
    let standing: (TrustedApplication) -> Standing

    func append(to buffer: inout SecretBuffer) {
        let entries = access.entries + [access.owner]
        buffer.append(text: "access: \(entries.count) entries\n")
        for (index, entry) in entries.enumerated() {
            buffer.append(text: "    entry \(index):\n")
            append(entry, to: &buffer)
        }
    }

    private func append(_ entry: ACLEntry, to buffer: inout SecretBuffer) {
        let names = entry.authorizations.map(\.name).sorted()
        buffer.append(
            text: "        authorizations (\(names.count)):" + names.map { " \($0)" }.joined() + "\n")
        guard let contents = try? entry.contents() else {
            let what =
                if case .processes(let owner) = entry.subject { owner.sentence } else {
                    "an entry that no program of ours has made"
                }
            buffer.append(text: "        description: \(what)\n")
            return
        }
        let isForPassword = contents.prompt.selector.contains(.requirePassphrase)
        buffer.append(text: isForPassword ? "        require-password\n" : "        don't-require-password\n")
        let description = entry.subject.partitionList?.description ?? contents.prompt.description.text
        buffer.append(text: "        description: \(Printable.text(description))\n")
        guard let applications = contents.applications else {
            buffer.append(text: "        applications: <null>\n")
            return
        }
        buffer.append(text: "        applications (\(applications.count)):\n")
        for (index, application) in applications.enumerated() {
            let word =
                switch standing(application) {
                case .same: "OK"
                case .differs(let status): "status \(status.rawValue)"
                }
            buffer.append(
                text: "            \(index): \(Printable.text(application.path.text)) (\(word))\n"
                    + "                requirement: \(Printable.text(application.requirement))\n")
        }
    }
}

extension TrustedApplication {
    /// The condition that lets a program in, in the form of Apple's requirements as far as that can express it.
    fileprivate var requirement: String {
        switch identity {
        case .identifier(let group) where group.isOfTeam:
            // `team:`, the team, the digest of its anchor's key, and the identifier.
            let parts = group.text.split(separator: ":", maxSplits: 3)
            let (team, key) = parts.count == 4 ? (parts[1], parts[2]) : ("", "")
            return "identifier \"\(group.name)\" and team \(team) and anchor key H\"\(key)\""
        case .identifier: return "path \"\(path.text)\" and root's alone to change"
        case .digest(let digest): return "cdhash H\"\(digest)\""
        case .securityTool: return "the security command, and with it every program of the user's"
        }
    }
}

extension Status {
    /// `CSSMERR_CSP_VERIFY_FAILED`, which macOS prints for a program that has changed.
    static let changedProgram = Status(rawValue: -2_147_415_734)
}

/// Looks up each listed program once, however many items list it.
final class ListedPrograms {
    private let keychain: any KeychainService
    private var known: [TrustedApplication: AccessRecord.Standing] = [:]

    init(_ keychain: any KeychainService) { self.keychain = keychain }

    func standing(of application: TrustedApplication) -> AccessRecord.Standing {
        if let standing = known[application] { return standing }
        let standing: AccessRecord.Standing
        do throws(KeychainError) {
            let present = try keychain.trustedApplication(at: application.path.text)
            standing = present.identity == application.identity ? .same : .differs(.changedProgram)
        } catch {
            standing = .differs(error.status)
        }
        known[application] = standing
        return standing
    }
}
