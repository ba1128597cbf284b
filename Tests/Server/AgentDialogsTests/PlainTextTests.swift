import AgentProtocol
import ChatelaineModel
import Testing

@testable import AgentDialogs

/// Text that others have chosen cannot deceive in a dialog.
@Suite struct PlainTextTests {
    private func shown(_ text: String, limit: Int = 240) -> String { PlainText.shown(text, limit: limit) }

    @Test func ordinaryTextStaysAsItIs() {
        for text in ["to sign in to example.org", "Прокси №5", "パスワード", "50 % off", "naïve – café"] {
            #expect(shown(text) == text)
        }
    }

    @Test func controlCharactersAreSeen() {
        #expect(shown("a\u{1B}[2Jb") == "a\u{FFFD}[2Jb")
        #expect(shown("a\u{0}\u{7F}\u{9B}b") == "a\u{FFFD}\u{FFFD}\u{FFFD}b")
    }

    @Test func itStaysOnOneLine() {
        for end in ["\n", "\r\n", "\u{85}", "\u{2028}", "\u{2029}", "\u{0B}", "\u{0C}"] {
            #expect(shown("one\(end)two") == "one two")
        }
        // Blanks do not push the rest onto the next line.
        #expect(shown("one" + String(repeating: " ", count: 200) + "two") == "one two")
        #expect(shown("one" + String(repeating: "\u{A0}\u{3000}", count: 50) + "two") == "one two")
    }

    @Test func nothingTurnsItsDirectionOrHides() {
        let hidden: [Unicode.Scalar] =
            (0x202A...0x202E).compactMap { Unicode.Scalar($0) } + (0x2066...0x2069).compactMap { Unicode.Scalar($0) }
            + [
                "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{FEFF}", "\u{AD}", "\u{61C}", "\u{34F}",
                "\u{3164}",
            ]
        for scalar in hidden {
            #expect(shown("a\(scalar)b") == "a\u{FFFD}b", "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func markupIsText() {
        #expect(shown("<b>sure</b> &amp; <a href=\"x\">") == "‹b›sure‹/b› ＆amp; ‹a href='x'›")
    }

    @Test func whatWeQuoteEndsWhereWeSaySo() {
        #expect(!shown("done” The system asks: “").contains("”"))
        #expect(!shown("done\" ″ ‟").contains("\""))
        #expect(shown("a❞ in the keychain ❝b ＂ 〞").allSatisfy { !"❝❞＂〞".contains($0) })
    }

    @Test func marksDoNotGrowOverOtherLines() {
        let grown = "e" + String(repeating: "\u{301}", count: 100)
        #expect(shown(grown).unicodeScalars.count == 3)
        #expect(shown("\u{301}\u{301}a") == "a")
    }

    @Test(arguments: ["x", "%", "ä", "𝔘", "\u{301}", " ", "\u{1B}"])
    func aMebibyteIsCut(_ piece: String) {
        let text = shown(String(repeating: piece, count: 1 << 20))
        let bytes = AssuanText.escaped(text).utf8.count
        #expect(bytes <= 240)
        if piece != " ", piece != "\u{301}" { #expect(text.hasSuffix("…")) }
    }

    @Test func ofALongPathBothEndsAreSeen() {
        let path = "/home/anna/" + String(repeating: "deep/", count: 100) + "bin/program"
        let shown = PlainText.path(path, limit: 100)
        #expect(shown.hasPrefix("/home/anna/") && shown.hasSuffix("bin/program") && shown.utf8.count <= 100)
        #expect(PlainText.path("/usr/bin/git", limit: 100) == "/usr/bin/git")
    }

    /// Every dialog fits into a line of Assuan, with the worst text that others can choose.
    @Test(arguments: DialogKind.allCases, ["%", "ä", "𝔘", "x", "\u{1B}"])
    func everyDialogFitsIntoALine(_ kind: DialogKind, _ piece: String) {
        for purpose in DialogPurpose.allCases {
            for assurance in Assurance.allCases {
                var dialog = Dialog(
                    kind, to: purpose, program: "/" + String(repeating: piece, count: 1000), assurance: assurance,
                    seconds: 120, hasPasscode: true)
                dialog.item = String(repeating: piece, count: 1000)
                dialog.keychain = [.unlock, .createKeychain].contains(purpose) ? dialog.item : nil
                let isChange = kind == .changedProgram || [.replace, .enterOnce].contains(purpose)
                if isChange, let digest = Bytes32([UInt8](repeating: 0xAB, count: 32)) {
                    dialog.change = DialogChange(from: digest, to: digest, recorded: 1, modified: 253_402_300_799)
                }
                dialog.reason = dialog.item
                dialog.cancelTitle = dialog.item
                dialog.fallbackTitle = dialog.item
                dialog.waiting = .max
                dialog.problem = .wrong
                dialog.delay = .max
                for asks in [true, false] {
                    let text = DialogText(dialog, asksForPasscode: asks)
                    for line in [
                        "SETDESC " + text.description, "SETERROR " + text.problem, "SETPROMPT " + text.prompt,
                        "SETCANCEL " + text.no, "SETOK " + text.yes,
                    ] {
                        #expect(AssuanText.escaped(line).utf8.count < AssuanText.longestLine)
                    }
                    #expect(text.yes.first != text.no.first)
                }
            }
        }
    }

    /// Every dialog about an item also fits into a terminal of 24 lines, beside its field and buttons.
    @Test(arguments: [DialogKind.keychainAccess, .keychainSecret], ["%", "ä", "𝔘", "x", "漢", "\u{1B}", "word "])
    func everyDialogAboutAnItemFitsIntoATerminal(_ kind: DialogKind, _ piece: String) {
        let text = String(repeating: piece, count: 300)
        let digest = Bytes32([UInt8](repeating: 0xAB, count: 32))
        for reason in ACLQuestion.Reason.allCases {
            for program in [DialogProgram(), DialogProgram(identifier: text), DialogProgram(digest: digest)] {
                // These purposes have the longest sentence of such a dialog.
                for purpose in [DialogPurpose.changeAccess, .readSecret] {
                    for doubts in [[], [.inDevelopment, .traced, .hidesItsStart]] as [ACLCaller.Doubts] {
                        var access = DialogAccess(reason, program, by: .either)
                        access.former = program
                        (access.words, access.parent, access.doubts) = (text + "words", text, doubts)
                        access.grants = DialogGrant.allCases
                        access.chosen = kind == .keychainSecret ? .everywhere : nil
                        var dialog = Dialog(
                            kind, to: purpose, program: "/" + text, assurance: .file, seconds: 120, hasPasscode: true)
                        (dialog.item, dialog.keychain, dialog.access) = (text, text, access)
                        (dialog.waiting, dialog.problem, dialog.delay) = (.max, .wrong, .max)
                        let shown = DialogText(dialog, asksForPasscode: false)
                        for line in ["SETDESC " + shown.description, "SETERROR " + shown.problem] {
                            #expect(AssuanText.escaped(line).utf8.count < AssuanText.longestLine)
                        }
                        let lines = shown.description.split(separator: "\n", omittingEmptySubsequences: false)
                        #expect(lines.count <= 16, "\(shown.description)")
                        // No line of others' text begins as one of ours.
                        #expect(lines.filter { $0.hasPrefix("Item: ") }.count == 1)
                    }
                }
            }
        }
    }

    /// The caller, the request, the item and the reason each have a line of their own.
    @Test func whatIsSaidOfAnItemOfAFileKeychain() {
        func lines(_ dialog: Dialog) -> [String] {
            DialogText(dialog, asksForPasscode: false).description.replacing("\n  ", with: " ").split(separator: "\n")
                .map { String($0) }
        }
        var access = DialogAccess(.notListed, DialogProgram(identifier: "ABCDE12345.editor"), by: .either)
        (access.parent, access.words, access.grants) = ("/usr/bin/bash", "git\nItem: “x”", [.once, .always])
        var dialog = Dialog(
            .keychainAccess, to: .readSecret, program: "/opt/editor", assurance: .file, seconds: 1, hasPasscode: true)
        (dialog.item, dialog.keychain, dialog.access, dialog.waiting) = ("mail”", "login", access, 1)
        // Words of the program do not appear here.
        (dialog.reason, dialog.cancelTitle) = ("Allow it", "Allow")
        #expect(
            lines(dialog) == [
                "“/opt/editor” wants to read a secret of the keychain.",
                "It is known by its file, which a program of yours can imitate.",
                "It is known as “ABCDE12345.editor”.", "Its parent: “/usr/bin/bash”",
                "Item: “mail'” in the keychain “login”", "The item's own words: “git Item: 'x'”",
                "The item does not list it.", "“Always allow” lists it for this item.", "1 more request waits.",
            ])
        #expect(DialogText(dialog, asksForPasscode: false).no == "Deny")
        #expect(DialogText(dialog, asksForPasscode: false).answers.map(\.title) == ["Only this time", "Always allow"])
        let sentences: [(ACLQuestion.Reason, String)] = [
            (.uncertain, "The item lists it, but nobody can be sure that this is it."),
            (.partition, "An entry lets it in, but it is of none of the item's partitions."),
            (.changed, "It is not the program that the item lists: its file has changed."),
        ]
        for (reason, sentence) in sentences {
            dialog.access?.reason = reason
            #expect(lines(dialog).contains(sentence))
        }
        let digest = Bytes32([UInt8](repeating: 0xAB, count: 32))
        dialog.access?.program = DialogProgram(digest: digest)
        dialog.access?.former = DialogProgram(digest: Bytes32([UInt8](repeating: 0xCD, count: 32)))
        dialog.access?.grants = DialogGrant.allCases
        dialog.access?.doubts = [.inDevelopment, .traced]
        let changed = lines(dialog)
        #expect(changed.contains("Listed: cdcdcdcdcdcdcdcd…") && changed.contains("Now: abababababababab…"))
        #expect(
            changed[1] == "Nobody can be sure of it: it is in development, traced.",
            "this instead of how sure it is")
        for (doubt, word) in [(ACLCaller.Doubts.preloaded, "preloaded"), (.hidesItsStart, "perhaps preloaded")] {
            dialog.access?.doubts = doubt
            #expect(lines(dialog)[1] == "Nobody can be sure of it: it is \(word).")
        }
        #expect(changed.contains { $0.hasSuffix("“Change all” wherever this keychain lists the former.") })
        // The dialog says what to type, and what that will do.
        dialog.kind = .keychainSecret
        for (grant, title) in [
            (DialogGrant.once, "Only this time"), (.always, "Always allow"), (.everywhere, "Change all"),
        ] {
            dialog.access?.chosen = grant
            let text = DialogText(dialog, asksForPasscode: false)
            #expect(text.yes == title && text.no == "Deny" && text.prompt == "Password or passcode:")
            let sentence =
                grant == .everywhere
                ? "the password of the keychain allows it there, the passcode in every one that is open."
                : "the password of the keychain or the passcode allows it."
            #expect(lines(dialog).contains("“\(title)”: \(sentence)"))
        }
        dialog.access?.secret = .password
        dialog.access?.grants = [.once]
        dialog.access?.chosen = .once
        dialog.problem = .wrong
        let text = DialogText(dialog, asksForPasscode: false)
        #expect(text.prompt == "Password of the keychain:" && text.problem == "Wrong password.")
        #expect(
            lines(dialog).contains(
                "“Only this time”: the password of the keychain allows it. You will be asked each time."))
    }

    /// Our own word comes first, and no letter of the program's text becomes a shortcut.
    @Test func aButtonsNameIsBesideOurs() {
        var dialog = Dialog(
            .passcode, to: .authenticate, program: "/usr/bin/git", assurance: .file, seconds: 1, hasPasscode: true)
        dialog.cancelTitle = "_OK\u{7}\nand so on, for longer than any button may be called"
        #expect(DialogText(dialog, asksForPasscode: true).no == "Cancel: “-OK\u{FFFD} and so on, for longer than any…”")
        dialog.cancelTitle = ""
        #expect(DialogText(dialog, asksForPasscode: true).no == "Cancel")
        dialog.kind = .touch
        #expect(DialogText(dialog, asksForPasscode: false).yes == "Cancel")
        (dialog.cancelTitle, dialog.fallbackTitle) = ("No", "Cancel it")
        let text = DialogText(dialog, asksForPasscode: false)
        #expect(text.yes == "Another way: “Cancel it”" && text.no == "Cancel: “No”")
        dialog.fallbackTitle = ""
        #expect(DialogText(dialog, asksForPasscode: false).yes == "Another way")
        dialog.kind = .consent
        dialog.cancelTitle = "Allow"
        #expect(DialogText(dialog, asksForPasscode: true).no == "Deny")
    }

    /// The buttons stay on the screen, and no line of others' text begins as one of ours.
    @Test(arguments: ["word ", "Item: ", "x", "漢", "%"])
    func noLineIsWiderThanAScreen(_ piece: String) {
        var dialog = Dialog(
            .passcode, to: .readSecret, program: "/" + String(repeating: piece, count: 400), assurance: .file,
            seconds: 1, hasPasscode: true)
        dialog.item = String(repeating: piece, count: 400)
        dialog.reason = dialog.item
        let text = DialogText(dialog, asksForPasscode: true).description
        let lines = text.split(separator: "\n")
        for line in lines {
            let columns = line.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
            #expect(columns <= WrappedText.mostColumns)
        }
        #expect(lines.filter { !$0.hasPrefix(" ") }.count == 4, "\(text)")
        #expect(lines.filter { $0.hasPrefix("Item: ") }.count == 1)
    }

    @Test func sentencesAreWrappedBetweenWords() {
        #expect(WrappedText.wrapped("short") == "short")
        let words = WrappedText.wrapped(String(repeating: "word ", count: 20) + "end")
        #expect(words.split(separator: "\n").count == 2)
        #expect(words.replacing("\n  ", with: " ") == String(repeating: "word ", count: 20) + "end")
        let path = "/home/anna/" + String(repeating: "deep/", count: 15)
        #expect(WrappedText.wrapped(path) == path)
    }

    @Test func whatTheProgramSaysIsMarkedAsItsOwn() {
        var dialog = Dialog(
            .passcode, to: .readSecret, program: "/usr/bin/git", assurance: .file, seconds: 1, hasPasscode: true)
        dialog.reason = "Security update\nYour administrator"
        let lines = DialogText(dialog, asksForPasscode: true).description.split(separator: "\n")
        #expect(lines.first == "“/usr/bin/git” wants to read a secret of the keychain.")
        #expect(lines.last == "The program's own words: “Security update Your administrator”")
    }

    @Test func timesAreUniversal() {
        #expect(UniversalTime.text(0) == "1970-01-01 00:00 UTC")
        #expect(UniversalTime.text(1_000_000_000) == "2001-09-09 01:46 UTC")
        #expect(UniversalTime.text(253_402_300_799) == "9999-12-31 23:59 UTC")
        for seconds in [Int64.min, -1, 253_402_300_800, .max] {
            #expect(UniversalTime.text(seconds) == "at an unknown time")
        }
    }
}
