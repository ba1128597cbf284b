import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Synchronization
import TestSupport
import Testing

@testable import SecurityServer

/// Questions about file keychains go all the way to enclaved's verdict, with a real agent, pinentry and custodian.
@Suite struct KeychainDialogTests {
    static let flavours = ["/usr/bin/pinentry-tty", "/usr/bin/pinentry-curses"]
    private static let either = "Password or passcode:"
    private static let password = "Password of the keychain:"

    /// A choice alone gives no access. Password and passcode both do.
    @Test(arguments: flavours)
    func theThreeAnswers(_ pinentry: String) throws {
        let home = try DialogHome(pinentry)
        try home.create()
        let isCurses = pinentry.hasSuffix("curses")
        for (keys, letter, secret, expected) in [
            ("\r", "o", "right", "allowedOnce"), ("\t\r", "a", "code", "allowed"), ("\t\t\r", "d", nil, "denied"),
            ("\r", "o", "", "denied"),
        ] {
            let answer = try home.answer(home.inquiry()) {
                try home.terminal.expect("/opt/mail")
                try home.type(isCurses ? keys : letter, at: isCurses ? "<Always allow>" : "[oda]?")
                if let secret { try home.type(secret + "\r", at: Self.either) }
            }
            #expect(home.word(answer) == expected)
            #expect(answer?.refusal?.status == (expected == "denied" ? .authFailed : nil))
            try home.awaitNoAgent()
            #expect(home.terminal.echoes)
        }
        // A right passcode does not count as a wrong password, nor the other way round.
        #expect(try home.enclave.passcodeReport(for: .agent, in: home.keybag).failures == 0)
    }

    @Test func aWrongSecretIsAskedForThreeTimes() throws {
        let home = try DialogHome()
        try home.create()
        let answer = try home.answer(home.inquiry()) {
            try home.type("a", at: "[oda]?")
            for round in 0..<3 {
                if round > 0 { try home.terminal.expect("Wrong password or passcode. \(5 - round) tries are left") }
                try home.type("wrong\r", at: Self.either)
            }
        }
        #expect(home.word(answer) == "wrong" && answer?.refusal?.status == .authFailed)
        #expect(try home.enclave.passcodeReport(for: .agent, in: home.keybag).failures == 3, "each counts once")
        try home.awaitNoAgent()
        #expect(home.terminal.echoes)
    }

    @Test func wherePasscodesDoNotDo() throws {
        let home = try DialogHome()
        try home.create()
        // The item's entry requires the keychain's password.
        let strict = try home.answer(home.inquiry(DialogHome.caller(), .requirePassphrase)) {
            try home.type("o", at: "[oda]?")
            try home.type("code\r", at: Self.password)
            try home.type("right\r", at: Self.password)
        }
        #expect(home.word(strict) == "allowedOnce")
        // Without a passcode there is only the password.
        let without = try DialogHome(passcode: nil)
        try without.create()
        let answer = try without.answer(without.inquiry()) {
            try without.type("o", at: "[oda]?")
            try without.type("right\r", at: Self.password)
        }
        #expect(without.word(answer) == "allowedOnce")
    }

    /// A program that is not surely identified cannot be remembered: one dialog, and no other answer.
    @Test func whoIsNeverRemembered() throws {
        let path = try KeychainPath("login.keychain", in: "/keychains")
        for doubts in [ACLCaller.Doubts.inDevelopment, .traced, .preloaded, .hidesItsStart] {
            let question = try DialogHome.question(DialogHome.caller(doubts: doubts), listed: DialogHome.formerly)
            let proof = KeychainAccessProof(
                question, about: path, takesPasscode: true, taking: KeychainCheckingOfNothing())
            #expect(!proof.mayBeRemembered && !proof.isAboutChange)
        }
        let home = try DialogHome()
        try home.create()
        let answer = try home.answer(home.inquiry(DialogHome.caller(doubts: .traced))) {
            try home.terminal.expect("Nobody can be sure of it: it is traced.")
            try home.terminal.expect("You will be asked each time.")
            try home.type("code\r", at: Self.either)
        }
        #expect(home.word(answer) == "allowedOnce")
        #expect(home.agents.started.load(ordering: .relaxed) == 1)
    }

    /// Only a program that could be remembered has its environment read, and only when a question about it is due.
    @Test(arguments: [
        (Preloading.none, ACLCaller.Doubts()), (.some, .preloaded), (.unknown, .hidesItsStart),
    ])
    func whatItStartedWithDecidesWhetherItIsRemembered(_ found: Preloading, _ doubts: ACLCaller.Doubts) throws {
        let home = try DialogHome(passcode: nil)
        let question = try home.inquiry(listed: DialogHome.formerly).question.doubting { found }
        guard let use = question.subject as? KeychainItemUse, case .keychainAccess(let proof) = question.proof else {
            throw SystemError("another question")
        }
        #expect(use.caller.doubts == doubts && (use.caller.rememberable == nil) == !doubts.isEmpty)
        #expect(proof.mayBeRemembered == doubts.isEmpty && proof.isAboutChange == doubts.isEmpty)
        let traced = try home.inquiry(DialogHome.caller(doubts: .traced)).question
        var isLookedAt = false
        _ = traced.doubting {
            isLookedAt = true
            return found
        }
        #expect(!isLookedAt)
    }

    @Test func aProgramThatHasChanged() throws {
        let home = try DialogHome()
        try home.create()
        for (letter, expected) in [("c", "allowedEverywhere"), ("a", "allowed")] {
            let answer = try home.answer(home.inquiry(listed: DialogHome.formerly)) {
                try home.terminal.expect("Listed: cdcdcdcdcdcdcdcd")
                try home.terminal.expect("Now: abababababababab")
                try home.type("f", at: "[odf]?")
                try home.type(letter, at: "[adc]?")
                try home.type("right\r", at: Self.either)
            }
            #expect(home.word(answer) == expected)
        }
    }

    @Test(arguments: flavours)
    func aLockedKeychain(_ pinentry: String) throws {
        let home = try DialogHome(pinentry)
        try home.create()
        try home.lock()
        func ask(_ typed: String...) throws -> PersonAnswer? {
            let proof = KeychainUnlockProof(keychains: home.keychains, path: try home.path())
            return try home.answer(home.inquiry(LockedKeychain(path: try home.path()), .unlock(proof))) {
                try home.terminal.expect("Keychain: “login”")
                for word in typed { try home.type(word + "\r", at: Self.password) }
            }
        }
        // The passcode does not open the keychain.
        let wrong = try ask("code", "wrong", "wrong")
        #expect(home.word(wrong) == "wrong" && wrong?.refusal?.status == .authFailed)
        #expect(try !home.isUnlocked())
        // Whoever types there is not asked again for a while.
        let proof = KeychainUnlockProof(keychains: home.keychains, path: try home.path())
        let held = try home.answer(home.inquiry(LockedKeychain(path: try home.path()), .unlock(proof)))
        #expect(home.word(held) == "impossible" && held?.refusal?.status == .authFailed)
        home.clock.advance(by: DialogTries.memory)
        #expect(home.word(try ask("wrong", "right")) == "allowed")
        #expect(try home.isUnlocked())
        // A keychain that is open takes any password for the right one, so nobody is asked for it.
        let before = home.agents.started.load(ordering: .relaxed)
        let needless = try home.answer(home.inquiry(LockedKeychain(path: try home.path()), .unlock(proof)))
        #expect(home.word(needless) == "again" && home.agents.started.load(ordering: .relaxed) == before)
        try home.lock()
        let cancelled = try ask("")
        #expect(home.word(cancelled) == "cancelled" && cancelled?.refusal?.status == .userCanceled)
    }

    /// The right password counts wherever it is given (behaviour/dialogs.md, 11 and 25).
    @Test func aPasswordFromElsewhereReleasesWhoIsHeldAndWhoWaits() throws {
        let home = try DialogHome()
        try home.create()
        try home.lock()
        let proof = KeychainUnlockProof(keychains: home.keychains, path: try home.path())
        func inquiry() throws -> PersonInquiry {
            try home.inquiry(LockedKeychain(path: try home.path()), .unlock(proof))
        }
        let wrong = try home.answer(inquiry()) {
            for _ in 0..<3 { try home.type("wrong\r", at: Self.password) }
        }
        #expect(home.word(wrong) == "wrong")
        #expect(home.word(try home.answer(inquiry())) == "impossible")
        #expect(try home.unlock("login", "wrong") == .wrong)
        #expect(home.word(try home.answer(inquiry())) == "impossible")
        #expect(try home.unlock() == .done)
        try home.lock()
        // The program is asked about again, and its dialogs end with the password from elsewhere.
        let inquiries = try (0..<2).map { _ in try inquiry() }
        for inquiry in inquiries { #expect(home.queue.ask(inquiry)) }
        try home.terminal.expect(Self.password)
        #expect(try home.unlock() == .done)
        #expect(try words(of: inquiries, home) == ["again", "again"])
        try home.awaitNoAgent()
        #expect(home.terminal.echoes)
    }

    /// A dialog for the same keychain in another terminal would take any text for the password of the open keychain.
    @Test func aPasswordEndsDialogsInOtherTerminals() throws {
        let home = try DialogHome()
        try home.create()
        try home.lock()
        let other = try TestTerminal()
        let proof = KeychainUnlockProof(keychains: home.keychains, path: try home.path())
        let inquiries = try [nil, other].map { terminal in
            try home.inquiry(LockedKeychain(path: try home.path()), .unlock(proof), at: terminal)
        }
        for inquiry in inquiries { #expect(home.queue.ask(inquiry)) }
        try other.expect(Self.password)
        try home.type("right\r", at: Self.password)
        #expect(try words(of: inquiries, home) == ["allowed", "again"])
        try home.awaitNoAgent()
        #expect(other.echoes)
    }

    /// One password opens the keychain for all requests that wait for it.
    @Test func oneAnswerOpensItForAll() throws {
        let home = try DialogHome()
        try home.create()
        try home.lock()
        let proof = KeychainUnlockProof(keychains: home.keychains, path: try home.path())
        let inquiries = try (0..<4).map { _ in
            try home.inquiry(LockedKeychain(path: try home.path()), .unlock(proof))
        }
        for inquiry in inquiries { #expect(home.queue.ask(inquiry)) }
        try home.type("right\r", at: Self.password)
        #expect(try words(of: inquiries, home) == ["allowed", "again", "again", "again"])
        #expect(home.agents.started.load(ordering: .relaxed) == 1)
    }

    /// *Always allow* is written down before the next question is shown, and requests that wait decide anew.
    @Test func alwaysCountsForThoseWhoWait() throws {
        let home = try DialogHome()
        try home.create()
        let item = ItemIdentifier()
        let inquiries = try (0..<3).map { _ in try home.inquiry(item: item) }
        for inquiry in inquiries { #expect(home.queue.ask(inquiry)) }
        try home.type("o", at: "[oda]?")
        try home.type("right\r", at: Self.either)
        // An answer for one use is for one request.
        try home.type("a", at: "[oda]?")
        try home.type("right\r", at: Self.either)
        #expect(try words(of: inquiries, home) == ["allowedOnce", "allowed", "again"])
        #expect(home.agents.started.load(ordering: .relaxed) == 2)
    }

    private func words(of inquiries: [PersonInquiry], _ home: DialogHome) throws -> [String] {
        let pipe = try TestPipe(isEnded: false)
        return inquiries.map { inquiry in
            defer { inquiry.noteSettlement() }
            return home.word(inquiry.wait(orEndOf: pipe.reading))
        }
    }

    @Test func aNewKeychain() throws {
        let home = try DialogHome()
        let made = Count()
        let proof = KeychainCreationProof(keychains: home.keychains, path: try home.path("new")) {
            made.value.wrappingAdd(1, ordering: .relaxed)
        }
        let inquiry = try home.inquiry(
            NewKeychain(path: try home.path("new")), .password(isNew: true, taking: proof))
        let answer = try home.answer(inquiry) {
            try home.terminal.expect("Keychain: “new”")
            for (first, second) in [("one", "two"), ("horse", "horse")] {
                try home.type(first + "\r", at: "New password:")
                try home.type(second + "\r", at: "The same again:")
            }
        }
        #expect(home.word(answer) == "allowed" && proof.isDone && made.value.load(ordering: .relaxed) == 1)
        #expect(try home.isUnlocked("new"))
        // An existing keychain stays as it is.
        let second = KeychainCreationProof(keychains: home.keychains, path: try home.path("new")) {
            made.value.wrappingAdd(1, ordering: .relaxed)
        }
        let other = try home.inquiry(NewKeychain(path: try home.path("new")), .password(isNew: true, taking: second))
        let refused = try home.answer(other) {
            for prompt in ["New password:", "The same again:"] { try home.type("horse\r", at: prompt) }
        }
        #expect(
            refused?.refusal?.status == .duplicateKeychain && !second.isDone && made.value.load(ordering: .relaxed) == 1
        )
    }

    /// A dialog for a new keychain ends when a program makes it.
    @Test func aNewKeychainThatAnotherMakes() throws {
        let home = try DialogHome()
        let path = try home.path("new")
        let proof = KeychainCreationProof(keychains: home.keychains, path: path) {}
        let inquiry = try home.inquiry(NewKeychain(path: path), .password(isNew: true, taking: proof))
        let answer = try home.answer(inquiry) {
            try home.terminal.expect("New password:")
            try home.create("new")
            home.keychains.noteOpening(of: path)
        }
        #expect(home.word(answer) == "again" && !proof.isDone)
    }

    /// If the device is locked or the caller ends, the dialog closes and the terminal is as before.
    @Test(arguments: flavours)
    func nothingIsLeftOfAQuestionThatIsTakenBack(_ pinentry: String) throws {
        let home = try DialogHome(pinentry)
        try home.create()
        let locked = try home.answer(home.inquiry(DialogHome.caller(doubts: .traced))) {
            try home.terminal.expect(Self.either)
            #expect(!home.terminal.echoes)
            home.queue.close()
        }
        #expect(home.word(locked) == "locked" && locked?.refusal?.status == .userCanceled)
        try home.awaitNoAgent()
        #expect(home.terminal.echoes)
        let inquiry = try home.inquiry(DialogHome.caller(doubts: .traced))
        #expect(home.queue.ask(inquiry))
        try home.terminal.expect(Self.either)
        // The caller's connection ends.
        let pipe = try TestPipe()
        #expect(inquiry.wait(orEndOf: pipe.reading) == nil)
        try home.awaitNoAgent()
        #expect(home.terminal.echoes)
    }

    /// If the keychain is locked while a user answers, the answer counts and the next question is for the password.
    @Test func aKeychainThatIsLockedMeanwhile() throws {
        let home = try DialogHome()
        try home.create()
        let answer = try home.answer(home.inquiry()) {
            try home.type("o", at: "[oda]?")
            try home.terminal.expect(Self.either)
            try home.lock()
            _ = home.terminal.settle()
            try home.terminal.type("right\r")
        }
        #expect(home.word(answer) == "allowedOnce")
        #expect(try !home.isUnlocked(), "a look at the password opens nothing")
    }
}

private final class Count: Sendable {
    let value = Atomic(0)
}

private struct KeychainCheckingOfNothing: PasscodeChecking {
    func standing() -> PasscodeStanding { PasscodeStanding() }
    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict { .wrong(standing()) }
}
