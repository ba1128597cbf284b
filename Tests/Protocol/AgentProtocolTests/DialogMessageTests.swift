import ChatelaineModel
import Testing

@testable import AgentProtocol

/// What securityd and its agent say to each other.
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

    /// `Documentation/formats/agent-protocol.md` lists them: a number never changes meaning.
    @Test func numbers() {
        #expect(DialogKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(DialogProblem.allCases.map(\.rawValue) == [1, 2])
        #expect(DialogAssurance.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(DialogPurpose.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(DialogReply.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
        #expect(AgentWire.version == 2)
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
