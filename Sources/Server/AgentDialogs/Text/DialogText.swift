import AgentProtocol
import ChatelaineModel

/// The sentences of one dialog.
///
/// Texts of others stand between quotation marks and are marked as theirs.
struct DialogText: Equatable {
    static let title = "Chatelaine"

    /// The sizes of the parts in bytes, so that the whole text fits into one line of Assuan.
    enum Room {
        static let program = 220
        /// The program in dialogs about access to an item, which have more text.
        static let programOfAccess = 150
        static let item = 160
        static let reason = 220
        static let button = 40
        /// The digits of a digest.
        ///
        /// They distinguish programs, except those that were made on purpose to look alike.
        static let digest = 16
    }

    var description: String
    var prompt: String
    /// The text above the field after an error; otherwise empty.
    var problem: String
    // The first letters of both differ, since pinentry-tty selects a button by its first letter.
    var yes: String
    var no: String
    /// The answers of a question about an item of a file keychain.
    var answers: [Choice.Answer] = []

    init(_ dialog: Dialog, asksForPasscode: Bool) {
        let program = PlainText.path(
            dialog.program, limit: dialog.access == nil ? Room.program : Room.programOfAccess)
        let wish = dialog.kind == .changedProgram ? Self.changed : Self.words(dialog.purpose)
        var lines = ["“\(program)” \(wish)"]
        if dialog.access == nil { lines.append(Self.words(dialog.assurance)) }
        // A dialog about a changed program is about no item, and has no text of a program.
        if let change = dialog.change {
            lines += Self.lines(change)
        } else if let access = dialog.access {
            lines += Self.lines(access, of: dialog)
            answers = access.grants.map(Self.answer)
        } else {
            if let keychain = dialog.keychain {
                lines.append("Keychain: “\(PlainText.shown(keychain, limit: Room.item))”")
            }
            // Some program has chosen the name.
            if let item = dialog.item, dialog.keychain == nil {
                lines.append("\(Self.noun(dialog.purpose)): “\(PlainText.shown(item, limit: Room.item))”")
            }
            if let reason = dialog.reason {
                lines.append("The program's own words: “\(PlainText.shown(reason, limit: Room.reason))”")
            }
        }
        switch dialog.kind {
        case .passcode: (yes, no) = ("OK", "Cancel")
        case .newPassword, .password: (yes, no) = ("OK", "Cancel")
        case .consent: (yes, no) = ("Allow", "Deny")
        case .changedProgram: (yes, no) = (Self.once, Self.refuse)
        case .keychainAccess, .keychainSecret:
            (yes, no) = (Self.answer(dialog.access?.chosen ?? .once).title, Self.deny)
        // One button, which ends the dialog, or a second one for another way.
        case .touch: (yes, no) = dialog.fallbackTitle == nil ? ("Cancel", "") : ("Another way", "Cancel")
        }
        // Chatelaine's own words come first, since their first letters differ.
        if let title = dialog.fallbackTitle, !title.isEmpty, dialog.kind == .touch {
            yes += ": “\(PlainText.button(title, limit: Room.button))”"
        }
        if let title = dialog.cancelTitle, !title.isEmpty, dialog.kind != .consent, dialog.access == nil {
            let words = "Cancel: “\(PlainText.button(title, limit: Room.button))”"
            if no.isEmpty { yes = words } else { no = words }
        }
        if dialog.kind == .changedProgram { lines.append(Self.answers) }
        if dialog.kind == .consent, asksForPasscode { lines.append("The passcode of this keychain allows it.") }
        if dialog.kind == .touch {
            // Such a dialog has no line for problems.
            lines += [Self.words(dialog), "Touch the fingerprint reader to allow it."].filter { !$0.isEmpty }
        } else if dialog.hasReader {
            lines.append("A touch of the fingerprint reader allows it, too.")
        }
        if dialog.kind == .passcode, dialog.purpose == .createKeychain {
            lines.append("The passcode becomes its password.")
        }
        if dialog.waiting > 0 {
            lines.append(dialog.waiting == 1 ? "1 more request waits." : "\(dialog.waiting) more requests wait.")
        }
        description = lines.map { WrappedText.wrapped($0) }.joined(separator: "\n")
        prompt =
            switch dialog.kind {
            case .newPassword: dialog.purpose == .writeFile ? "New passphrase:" : "New password:"
            case .password where dialog.purpose == .readFile: "Passphrase:"
            case .keychainSecret where dialog.access?.secret == .either: "Password or passcode:"
            case _ where asksForPasscode: "Passcode:"
            default: dialog.keychain == nil ? "Password:" : "Password of the keychain:"
            }
        problem = Self.words(dialog)
    }

    /// The prompt of the second entry of a new password.
    static let again = "The same again:"
    static let different = "These were two different passwords."
    /// Shown with the second entry.
    ///
    /// Whoever has a copy of the file can guess a password with fewer bits than are sensible.
    static let weak = "This password is easy to guess; six words at random are not."
    static let empty = "A password has at least one character."

    // MARK: Changed programs

    static let once = "Only this time"
    static let everywhere = "Everywhere"
    static let refuse = "Refuse"
    /// The button that leads to the other answers where there is no third button.
    static let another = "Another answer"
    private static let changed = "is not the program that stored these items: its file has changed."
    private static let answers =
        "“\(everywhere)” takes it for the older version from now on, “\(once)” lets it in until it ends."

    private static func lines(_ change: DialogChange) -> [String] {
        var lines: [String] = []
        if let former = change.former {
            lines.append("Recorded: \(digits(former))…, \(UniversalTime.text(change.recorded))")
        } else {
            lines.append("It was accepted without the passcode, \(UniversalTime.text(change.recorded)).")
        }
        lines.append("Now: \(digits(change.digest))…, its file is of \(UniversalTime.text(change.modified))")
        return lines
    }

    static func digits(_ digest: Bytes32) -> String { String("\(digest)".prefix(Room.digest)) }

    private static func words(_ purpose: DialogPurpose) -> String {
        switch purpose {
        case .readAttributes: "wants to see an item of the keychain."
        case .readSecret: "wants to read a secret of the keychain."
        case .update: "wants to change an item of the keychain."
        case .delete: "wants to delete an item of the keychain."
        case .add: "wants to add an item to the keychain."
        case .other: "asks the keychain for something."
        case .authenticate: "wants to know that it is you."
        case .useItems: "wants to use items of the keychain."
        case .addItems: "wants to add items to the keychain."
        case .replace: "is to be taken for the older version from now on."
        case .enterOnce: "is to be let in this time."
        case .useKey: "wants to use a key of the keychain."
        case .export: "wants to take something out of the keychain."
        case .changeAccess: "wants to change who may use an item of the keychain."
        case .unlock: "wants to use a keychain that is locked."
        case .createKeychain: "wants to make a keychain."
        case .trust: "wants a certificate to be trusted by all of your programs."
        case .changeTrust: "wants to change which certificates are trusted."
        case .readFile: "wants to read a file of keys, which has a passphrase."
        case .writeFile: "wants to write keys into a file, under a new passphrase."
        }
    }

    /// What a dialog is about.
    private static func noun(_ purpose: DialogPurpose) -> String {
        switch purpose {
        case .trust, .changeTrust: "Certificate"
        default: "Item"
        }
    }

    static func words(_ assurance: Assurance) -> String {
        switch assurance {
        case .kernel: "The system vouches for this program."
        case .file: "It is known by its file, which a program of yours can imitate."
        case .shared: "It runs scripts: any script of yours can ask like this."
        case .degraded: "This kernel does not say for sure which program asks."
        }
    }

    private static func words(_ dialog: Dialog) -> String {
        if dialog.kind == .touch, dialog.problem != nil {
            guard let left = dialog.triesLeft else { return "That finger is not known." }
            let tries = left == 1 ? "1 try is" : "\(left) tries are"
            return "That finger is not known. \(tries) left before the passcode is needed."
        }
        let what =
            switch dialog.kind {
            case .password, .newPassword: "password"
            case .keychainSecret: dialog.access?.secret == .either ? "password or passcode" : "password"
            default: "passcode"
            }
        switch dialog.problem {
        case nil: return ""
        case .delayed:
            let many = dialog.keychain == nil ? "passcodes" : "tries"
            return "Too many wrong \(many): the next one counts in \(duration(dialog.delay))."
        case .wrong:
            if dialog.delay > 0 { return "Wrong \(what). The next one counts in \(duration(dialog.delay))." }
            guard let left = dialog.triesLeft else { return "Wrong \(what)." }
            return "Wrong \(what). \(left == 1 ? "1 try is" : "\(left) tries are") left before a delay."
        }
    }

    private static func duration(_ seconds: UInt32) -> String {
        seconds < 120 ? "\(seconds) s" : "\(seconds / 60 + (seconds % 60 > 0 ? 1 : 0)) minutes"
    }
}
