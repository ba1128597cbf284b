import ChatelaineIPC
import ChatelaineModel

/// Describes a program's identity, its assurance, and its groups, one sentence each.
struct ApplicationSentences {
    let application: ApplicationDescription
    private var path: String { Printable.text(application.path) }

    /// The sentences, a line each.
    var lines: [String] {
        [who, assurance, groups, complaint, adoption, change].compactMap { $0 }
    }

    /// Whether the program has a signature that counts.
    var isSigned: Bool { application.state == .signed }

    var who: String {
        switch application.state {
        case .rootOnly: "\(path) is known by its path, which root alone can change."
        case .development: "\(path) is in development: whoever can write there is that program."
        case .unknown: "\(path) has stored nothing yet, and will be known by the content that it has then."
        case .pinned: "\(path) is known by its content, which is what it was when it first stored something."
        case .changed: "\(path) is refused: its file is not the one that stored items under that path."
        case .signed: "\(path) is \(identifier) of team \(team)."
        case .rejected: "\(path) is refused: it has a signature, and that does not count."
        }
    }

    private var identifier: String { Printable.text(application.signature?.identifier ?? "") }
    private var team: String { application.signature?.team?.text ?? "" }

    private var assurance: String? {
        if application.isShared {
            return "Whoever runs it is it, since it runs what it is told to (assurance: shared)."
        }
        switch application.state {
        case .signed:
            guard let signature = application.signature else { return nil }
            let until = signature.validUntil.map { " until \(UnixTime.text($0))" } ?? ""
            let origin = signature.origin == .root ? "root has" : "you have"
            return
                "Its signature \(Printable.text(signature.path)) counts\(until), by the anchor that \(origin) added for that team (assurance: file)."
        case .changed, .rejected: return nil
        default: return "It is as sure as that file is (assurance: file)."
        }
    }

    private var groups: String? {
        guard let first = application.groups.first else { return nil }
        guard application.groups.count > 1 else {
            return "It has one access group, from \(Self.words(first.source)): \(Printable.text(first.name))."
        }
        let list = application.groups.map { "\(Printable.text($0.name)) (\(Self.words($0.source)))" }
        return
            "It has \(application.groups.count) access groups, the default one first: \(list.joined(separator: ", "))."
    }

    /// Why a signature does not count.
    var complaint: String? {
        guard let signature = application.signature, let defect = signature.defect else { return nil }
        let detail = signature.detail.isEmpty ? "" : " (\(Printable.text(signature.detail)))"
        return "The signature \(Printable.text(signature.path)) \(defect.sentence)\(detail)."
    }

    private var adoption: String? {
        application.adoption.map {
            "What it stored before it was signed is with \(Printable.text($0.group)) since \(UnixTime.text($0.date)); "
                + "`security app adopt --return \(ShellWord.quoted(application.path))` brings it back."
        }
    }

    private var change: String? {
        application.change.map {
            "On \(UnixTime.text($0.date)) its file \(Self.digits($0.digest))… took the place of "
                + "\(Self.digits($0.former))…, as somebody here has said."
        }
    }

    private static func digits(_ digest: Bytes32) -> String {
        String("\(digest)".prefix(ApplicationListing.digestDigits))
    }

    static func words(_ source: ApplicationDescription.Group.Source) -> String {
        switch source {
        case .place: "its place"
        case .keychainGroups: "keychain-access-groups"
        case .identifier: "application-identifier"
        case .applicationGroups: "com.apple.security.application-groups"
        }
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("path")
        json.value(application.path)
        json.key("state")
        json.value(application.state.word)
        json.key("shared")
        json.value(application.isShared)
        json.key("sha256")
        json.value("\(application.digest)")
        json.key("groups")
        json.beginArray()
        for group in application.groups {
            json.beginObject()
            json.key("name")
            json.value(group.name)
            json.key("from")
            json.value(Self.words(group.source))
            json.endObject()
        }
        json.endArray()
        if let signature = application.signature {
            json.key("signature")
            json.value(signature.path)
            json.pair("identifier", ifAny: signature.identifier)
            json.key("team")
            json.value(team)
            json.pair("anchor", ifAny: signature.anchorKey.map { "\($0)" })
            json.pair("notAfter", ifAny: signature.validUntil.map(UnixTime.text))
            if let defect = signature.defect {
                json.key("defect")
                json.value(Int(defect.rawValue))
            }
            json.pair("detail", ifAny: complaint)
        }
        if let adoption = application.adoption {
            json.key("adoptedBy")
            json.value(adoption.group)
            json.key("adopted")
            json.value(UnixTime.text(adoption.date))
        }
        if let change = application.change {
            json.key("formerSha256")
            json.value("\(change.former)")
            json.key("changed")
            json.value(UnixTime.text(change.date))
        }
        json.endObject()
    }
}
