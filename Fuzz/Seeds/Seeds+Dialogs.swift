import AgentProtocol
import ChatelaineModel

extension Seeds {
    static var dialog: Dialog {
        var dialog = Dialog(
            .passcode, to: .readSecret, program: "/usr/bin/git", assurance: .shared, seconds: 120, hasPasscode: true)
        dialog.item = "account J\u{FC}rgen"
        dialog.reason = "to push"
        dialog.waiting = 2
        dialog.problem = .wrong
        dialog.triesLeft = 4
        dialog.delay = 60
        dialog.terminal = "/dev/pts/3"
        return dialog
    }

    /// A dialog about a changed program.
    static var changeDialog: Dialog {
        var dialog = Dialog(
            .changedProgram, to: .other, program: "/home/anna/bin/app", assurance: .file, seconds: 120,
            hasPasscode: true)
        if let digest = Bytes32([UInt8](repeating: 7, count: 32)) {
            dialog.change = DialogChange(from: digest, to: digest, recorded: 1_700_000_000, modified: -1)
        }
        return dialog
    }

    /// A dialog about an item of a file keychain whose program has changed.
    static var accessDialog: Dialog {
        var access = DialogAccess(
            .changed, DialogProgram(digest: Bytes32([UInt8](repeating: 7, count: 32))), by: .either)
        access.former = DialogProgram(identifier: "ABCDE12345.editor")
        access.words = "mail"
        access.parent = "/usr/bin/bash"
        access.doubts = .traced
        access.grants = DialogGrant.allCases
        access.chosen = .always
        var dialog = Dialog(
            .keychainSecret, to: .changeAccess, program: "/home/anna/bin/app", assurance: .file, seconds: 120,
            hasPasscode: true)
        dialog.item = "mail of anna"
        dialog.keychain = "login"
        dialog.access = access
        return dialog
    }

    /// Lines from pinentry, and untrusted texts.
    static var dialogs: [Seed] {
        let lines = [
            ("ok", "OK Pleased to meet you"), ("error", "ERR 83886179 Operation cancelled <Pinentry>"),
            ("data", "D ab%25c%0Ad"), ("remark", "S PIN_REPEATED"),
        ]
        let texts = [
            ("markup", "<b>sure</b> &amp;"), ("turned", "a\u{202E}b\u{2066}"), ("terminal", "\u{1B}[2J\r\nx"),
            ("marks", "e\u{301}\u{301}\u{301}"),
            ("blanks", "one  \t \u{3000} two"), ("quotes", "done” The system asks: “"),
            ("path", "/home/anna/some/where/far/away/and/deeper/than/that/bin/program"),
        ]
        return lines.map { ($0.0, [0] + Array($0.1.utf8)) } + texts.map { ($0.0, [1] + Array($0.1.utf8)) }
    }
}
