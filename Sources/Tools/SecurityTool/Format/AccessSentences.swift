import ChatelaineModel

/// Describes who may use an item of a file keychain, in sentences that need no knowledge of access objects.
struct AccessSentences {
    /// Compares the program that is at a listed program's path with that program.
    typealias Standing = (TrustedApplication) -> AccessRecord.Standing

    let access: AccessObject
    let itemClass: ItemClass
    let standing: Standing

    /// The lines: a summary, then the entries.
    var lines: [String] {
        summary + access.entries.flatMap { lines(of: $0, isOwner: false) } + lines(of: access.owner, isOwner: true)
    }

    // MARK: What it comes to

    /// The summary, taken from the decision itself and not from the entries.
    private var summary: [String] {
        guard itemClass == .key else {
            return summary(
                of: [.decrypt], "The secret is read", orNobody: "Nobody reads the secret without being asked about.")
        }
        return summary(
            of: [.sign, .decrypt, .derive], "The key is used",
            orNobody: "Nobody uses the key without being asked about.")
            + summary(
                of: [.exportClear], "Its bytes are taken out",
                orNobody: "Nobody takes its bytes out without being asked about.")
    }

    /// The grantees with one of these rights, under a line that names the use.
    private func summary(
        of rights: Set<ACLAuthorization>, _ what: String, orNobody nobody: String
    ) -> [String] {
        let names = access.grants(of: itemClass).filter { !rights.isDisjoint(with: $0.rights) }
            .map { Self.name($0.grantee) }
        return names.isEmpty ? [nobody] : ["\(what) without asking by:"] + names.map { "  " + $0 }
    }

    static func name(_ grantee: Grantee) -> String {
        switch grantee {
        case .program(let application) where application.identity == .securityTool:
            "the security command, and through it every program of yours"
        case .program(let application): Printable.text(application.path.text)
        case .partition(let partition): partition.sentence
        case .everybody: "every program of yours"
        case .processes(let owner): owner.sentence
        }
    }

    // MARK: Entries

    private func lines(of entry: ACLEntry, isOwner: Bool) -> [String] {
        let rights = words(entry.authorizations, isOwner: isOwner)
        switch entry.subject {
        case .any, .anyDescribed:
            let among = access.partitionList == nil ? "Every program of yours" : "Every program of its partitions"
            return ["\(among) may \(rights)."]
        case .applications(let listed, let prompt):
            let asked = prompt.selector.words
            guard !listed.isEmpty else {
                return ["No program may \(rights) without asking: a person is asked\(asked)."]
            }
            return ["These may \(rights); about others a person is asked\(asked):"]
                + listed.map { "  " + line(of: $0) }
        case .partition(let list):
            guard !list.identifiers.isEmpty else {
                return ["It is of no partition: a person is asked about every program."]
            }
            return ["Whoever an entry lets in has to be of one of its partitions besides:"]
                + list.identifiers.map { "  \(Printable.text($0.text))  \($0.sentence)" }
        case .processes(let owner):
            let sentence = owner.sentence
            return ["\(sentence.prefix(1).uppercased())\(sentence.dropFirst()) may \(rights)."]
        case .integrity: return ["An entry holds a digest, and lets nobody in."]
        case .custom: return ["An entry that no program of ours has made lets nobody in."]
        }
    }

    private func line(of application: TrustedApplication) -> String {
        let change =
            switch standing(application) {
            case .same: ""
            case .differs(.changedProgram): "; another program stands there now, and is asked about"
            case .differs: "; no program stands there now"
            }
        return "\(Printable.text(application.path.text)): \(application.sentence)\(change)"
    }

    private static let ofPasswords: [(ACLAuthorization, String)] = [
        (.decrypt, "read and delete it"), (.encrypt, "overwrite it"), (.changeACL, "change who may use it"),
    ]
    private static let ofKeys: [(ACLAuthorization, String)] = [
        (.sign, "sign with it"), (.decrypt, "decrypt with it and delete it"), (.derive, "agree on secrets with it"),
        (.exportClear, "take its bytes out"), (.encrypt, "overwrite its attributes"),
        (.changeACL, "change who may use it"),
    ]

    /// The rights in words for a password or a key; a right without such words is shown by its name.
    private func words(_ rights: Set<ACLAuthorization>, isOwner: Bool) -> String {
        if isOwner { return "change who may use it" }
        if rights.contains(.any) { return "do everything with it" }
        let known = itemClass == .key ? Self.ofKeys : Self.ofPasswords
        let words = known.filter { rights.contains($0.0) }.map(\.1)
        let others = rights.subtracting(known.map(\.0)).map(\.name).sorted()
        guard !words.isEmpty else { return others.isEmpty ? "do nothing with it" : others.joined(separator: ", ") }
        return words.joined(separator: ", ")
    }
}

extension TrustedApplication {
    /// What identifies the program.
    var sentence: String {
        switch identity {
        case .securityTool: "the security command, and through it every program of yours"
        case .identifier(let group) where group.isOfTeam:
            "\(Printable.text(group.name)), signed by team \(team)\(doubt)"
        case .identifier: "whatever program root has put there\(doubt)"
        case .digest(let digest): "the program with the SHA-256 \(digest), wherever it lies\(doubt)"
        }
    }

    /// The kind of identity in ``sentence``, as one word.
    var kind: String {
        switch identity {
        case .securityTool: "tool"
        case .identifier(let group): group.isOfTeam ? "signed" : "path"
        case .digest: "digest"
        }
    }

    private var team: String { partition?.text.split(separator: ":").last.map { Printable.text(String($0)) } ?? "" }

    private var doubt: String {
        switch assurance {
        case .shared: ", which runs what it is told to: a person is asked about it each time"
        case .degraded: ", known on a kernel that does not vouch for it: a person is asked about it each time"
        default: ""
        }
    }
}

extension ProcessOwner {
    /// The processes that the entry lets in.
    var sentence: String {
        var whose: [String] = []
        if rule.contains(.user) { whose.append("of user \(user)\(rule.contains(.honorsRoot) ? " or of root" : "")") }
        if rule.contains(.group) { whose.append("of group \(group)") }
        return "every process " + whose.joined(separator: " and ")
    }
}

extension PartitionID {
    /// The programs in the partition.
    var sentence: String {
        if self == .apple { return "programs that root alone can put where they are" }
        if self == .appleTool { return "the security command, and through it every program of yours" }
        guard hasPrograms else { return "nobody here" }
        let parts = text.split(separator: ":", maxSplits: 1).map { Printable.text(String($0)) }
        return parts[0] == "teamid"
            ? "programs signed by team \(parts[1])" : "the program with the SHA-256 \(parts[1])"
    }
}

extension PromptSelector {
    /// The words after “a person is asked”.
    fileprivate var words: String {
        var words = contains(.requirePassphrase) ? ", for the keychain\u{2019}s password" : ""
        if contains(.unsignedAct), !contains(.unsigned) { words += ", and programs without a signature are refused" }
        if contains(.invalidAct), !contains(.invalid) {
            words += ", and programs whose signature does not count are refused"
        }
        return words
    }
}
