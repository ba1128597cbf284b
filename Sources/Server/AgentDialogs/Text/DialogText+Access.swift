import AgentProtocol
import ChatelaineModel

/// The text of a dialog about an item of a file keychain: the item, the calling program, and the answers.
///
/// A terminal of 24 lines has room for 16 of them beside the field and the buttons. Longer dialogs are not shown in a
/// terminal.
extension DialogText {
    private enum AccessRoom {
        static let item = 80
        static let keychain = 40
        static let words = 44
        static let identifier = 44
        static let parent = 48
    }

    static let deny = "Deny"
    /// The button that leads to the lasting answers, where there are two.
    static let fromNowOn = "From now on"

    static func answer(_ grant: DialogGrant) -> Choice.Answer {
        switch grant {
        case .once: Choice.Answer(title: once, reply: .once)
        case .always: Choice.Answer(title: "Always allow", reply: .always)
        case .everywhere: Choice.Answer(title: "Change all", reply: .everywhere)
        }
    }

    static func lines(_ access: DialogAccess, of dialog: Dialog) -> [String] {
        var lines = [access.doubts.isEmpty ? words(dialog.assurance) : words(access.doubts)]
        if access.reason != .changed, let name = name(access.program) { lines.append("It is known as \(name).") }
        if let parent = access.parent {
            lines.append("Its parent: “\(PlainText.path(parent, limit: AccessRoom.parent))”")
        }
        // Programs have chosen these names.
        let item = PlainText.shown(dialog.item ?? "", limit: AccessRoom.item)
        let keychain = PlainText.shown(dialog.keychain ?? "", limit: AccessRoom.keychain)
        lines.append("Item: “\(item)” in the keychain “\(keychain)”")
        if let words = access.words, !words.isEmpty, words != dialog.item {
            lines.append("The item's own words: “\(PlainText.shown(words, limit: AccessRoom.words))”")
        }
        lines.append(words(access.reason))
        if access.reason == .changed {
            let names = [("Listed: ", access.former), ("Now: ", access.program)]
            lines += names.compactMap { label, program in program.flatMap(name).map { label + $0 } }
        }
        lines.append(dialog.kind == .keychainAccess ? explanation(access.grants) : demand(access))
        return lines
    }

    /// The short identity of a program; nil where it has none, or is identified by its path.
    private static func name(_ program: DialogProgram) -> String? {
        if let digest = program.digest { return "\(digits(digest))…" }
        return program.identifier.map { "“\(PlainText.path($0, limit: AccessRoom.identifier))”" }
    }

    private static func words(_ doubts: ACLCaller.Doubts) -> String {
        var words: [String] = []
        if doubts.contains(.inDevelopment) { words.append("in development") }
        if doubts.contains(.traced) { words.append("traced") }
        if doubts.contains(.preloaded) { words.append("preloaded") }
        if doubts.contains(.hidesItsStart) { words.append("perhaps preloaded") }
        return "Nobody can be sure of it: it is \(words.joined(separator: ", "))."
    }

    private static func words(_ reason: ACLQuestion.Reason) -> String {
        switch reason {
        case .notListed: "The item does not list it."
        case .changed: "It is not the program that the item lists: its file has changed."
        case .uncertain: "The item lists it, but nobody can be sure that this is it."
        case .partition: "An entry lets it in, but it is of none of the item's partitions."
        }
    }

    private static func explanation(_ grants: [DialogGrant]) -> String {
        var words: [String] = []
        if grants.contains(.always) { words.append("“\(answer(.always).title)” lists it for this item") }
        if grants.contains(.everywhere) {
            words.append("“\(answer(.everywhere).title)” wherever this keychain lists the former")
        }
        return words.joined(separator: ", ") + "."
    }

    private static func demand(_ access: DialogAccess) -> String {
        let title = answer(access.chosen ?? .once).title
        // The passcode is the person's. The password of a keychain is known to whoever made the keychain.
        if access.chosen == .everywhere, access.secret == .either {
            return "“\(title)”: the password of the keychain allows it there, the passcode in every one that is open."
        }
        let secret =
            switch access.secret {
            case .password: "the password of the keychain"
            case .either: "the password of the keychain or the passcode"
            }
        let isOnly = access.grants == [.once] ? " You will be asked each time." : ""
        return "“\(title)”: \(secret) allows it.\(isOnly)"
    }
}
