import ChatelaineModel
import Testing

@testable import AgentProtocol

/// Tests of the messages between securityd and its agent.
@Suite struct DialogMessageTests {
    static let full: Dialog = {
        var dialog = Dialog(
            .passcode, to: .readSecret, program: "/usr/bin/git", assurance: .shared, seconds: 120, hasPasscode: true)
        dialog.item = "account “anna”"
        dialog.reason = "to push"
        dialog.cancelTitle = "Not now"
        dialog.fallbackTitle = ""
        dialog.waiting = 2
        dialog.problem = .wrong
        dialog.triesLeft = 4
        dialog.delay = 60
        dialog.terminal = "/dev/pts/3"
        return dialog
    }()

    private func bytes(_ dialog: Dialog) -> [UInt8] {
        var writer = CBORWriter()
        dialog.encode(to: &writer)
        return writer.finishArray()
    }

    private func read(_ bytes: [UInt8]) throws -> Dialog { try bytes.withUnsafeBytes { try Dialog(frame: $0) } }

    @Test func aDialogIsReadAsItWasWritten() throws {
        #expect(try read(bytes(Self.full)) == Self.full)
        let least = Dialog(.consent, to: .other, program: "", assurance: .file, seconds: 1, hasPasscode: false)
        #expect(try read(bytes(least)) == least)
        for former in [nil, Bytes32([UInt8](repeating: 1, count: 32))] {
            var changed = Dialog(
                .changedProgram, to: .other, program: "/a", assurance: .file, seconds: 1, hasPasscode: true)
            // A question without its subject is refused.
            #expect(throws: CBORError.self) { try read(bytes(changed)) }
            changed.change = DialogChange(
                from: former, to: try #require(Bytes32([UInt8](repeating: 2, count: 32))), recorded: 1, modified: -1)
            #expect(try read(bytes(changed)) == changed)
        }
    }

    /// A dialog about an item of a file keychain, with every field in use.
    static func access(_ kind: DialogKind, _ text: String = "anna") -> Dialog {
        let digest = Bytes32([UInt8](repeating: 3, count: 32))
        var access = DialogAccess(.changed, DialogProgram(digest: digest), by: .either)
        access.former = DialogProgram(identifier: text)
        access.words = text
        access.parent = text
        access.doubts = [.traced, .inDevelopment, .preloaded, .hidesItsStart]
        access.grants = [.once, .always, .everywhere]
        if kind == .keychainSecret { access.chosen = .always }
        var dialog = Dialog(
            kind, to: .changeAccess, program: text, assurance: .file, seconds: 1, hasPasscode: false)
        dialog.item = text
        dialog.keychain = text
        dialog.access = access
        return dialog
    }

    @Test func anItemOfAFileKeychain() throws {
        for kind in [DialogKind.keychainAccess, .keychainSecret] {
            let dialog = Self.access(kind)
            #expect(try read(bytes(dialog)) == dialog)
            var empty = dialog
            empty.access = nil
            #expect(throws: CBORError.self) { try read(bytes(empty)) }
            // The answers are distinct, in order, and include the chosen one.
            for grants in [[], [.always], [.once, .once], [.once, .everywhere, .always]] as [[DialogGrant]] {
                var wrong = dialog
                wrong.access?.grants = grants
                #expect(throws: CBORError.self, "\(grants)") { try read(bytes(wrong)) }
            }
            var chosen = dialog
            chosen.access?.grants = [.once]
            chosen.access?.chosen = .always
            #expect(throws: CBORError.self) { try read(bytes(chosen)) }
        }
        var secret = Self.access(.keychainSecret)
        secret.access?.chosen = nil
        #expect(throws: CBORError.self) { try read(bytes(secret)) }
        let longest = bytes(Self.access(.keychainAccess, String(repeating: "𝔘", count: 1 << 16)))
        #expect(longest.count < AgentWire.maximumFrameBytes)
        #expect(throws: Never.self) { try read(longest) }
    }

    @Test func aMebibyteIsCutBeforeItIsSent() throws {
        var dialog = Self.full
        dialog.reason = String(repeating: "ä", count: 1 << 20)
        dialog.item = String(repeating: "x", count: 1 << 20)
        let bytes = bytes(dialog)
        #expect(bytes.count < AgentWire.maximumFrameBytes)
        #expect(try read(bytes).reason?.utf8.count ?? 0 <= AgentWire.maximumTextBytes)
    }

    @Test func anythingElseIsRefused() throws {
        let bytes = bytes(Self.full)
        for count in bytes.indices { #expect(throws: CBORError.self) { try read(Array(bytes.prefix(count))) } }
        #expect(throws: CBORError.self) { try read(bytes + [0]) }
        var forever = Self.full
        forever.seconds = 3601
        #expect(throws: CBORError.self) { try read(self.bytes(forever)) }
    }

    @Test func repliesAreReadAsTheyWereWritten() throws {
        for reply in DialogReply.allCases {
            var writer = CBORWriter()
            reply.encodeFrame(to: &writer)
            let read = try writer.finishArray().withUnsafeBytes { try DialogReply(frame: $0) }
            #expect(read == reply)
        }
        #expect(throws: CBORError.self) { try [0xA1, 0x01, 0x0B].withUnsafeBytes { try DialogReply(frame: $0) } }
    }

    /// `Documentation/formats/agent-protocol.md` lists these numbers, which never change their meaning.
    @Test func numbers() {
        #expect(DialogKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(DialogProblem.allCases.map(\.rawValue) == [1, 2])
        #expect(Assurance.allCases.map(\.number) == [1, 2, 3, 4])
        #expect(DialogPurpose.allCases.map(\.rawValue) == Array(1...20))
        #expect(DialogReply.allCases.map(\.rawValue) == Array(1...15))
        #expect(ACLQuestion.Reason.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(DialogSecret.allCases.map(\.rawValue) == [1, 2])
        #expect(DialogGrant.allCases.map(\.rawValue) == [1, 2, 3])
        #expect([ACLCaller.Doubts.inDevelopment, .traced, .preloaded, .hidesItsStart].map(\.rawValue) == [1, 2, 4, 8])
        #expect(AgentWire.version == 5)
    }

    @Test func flavoursOfATerminal() {
        for flavor in ["curses", "tty", "gtk2:curses", "gnome3:curses"] {
            #expect(PinentryName.needsTerminal(flavor: flavor), "\(flavor)")
        }
        for flavor in ["gtk2", "qt", "gnome3", "emacs", ""] {
            #expect(!PinentryName.needsTerminal(flavor: flavor), "\(flavor)")
        }
    }
}
