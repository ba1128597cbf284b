import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security state`: shows the lock state in one line, for people and scripts.
struct StateCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Says whether the keychain is locked.", usage: "security state [--json]",
        discussion: "One of “unlocked”, “locked” and “before first unlock”. Without a passcode it is always unlocked.")

    @Flag(name: .long, help: "What “security passcode status” shows, as one object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let description = DeviceDescription(report: try context.keychain.device(.state))
        try description.show(in: context, asJSON: json, text: description.report.state.text + "\n")
        return ExitStatus.success
    }
}

/// `security lock`
struct LockCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Locks the keychain, until it is unlocked.", usage: "security lock [--json]",
        discussion:
            "Items of the classes WhenUnlocked cannot be used from then on, until “security unlock”; those of the classes "
            + "AfterFirstUnlock and Always can. All file keychains are locked as well. Without a passcode nothing else is, "
            + "and the exit status is 1.")

    @Flag(name: .long, help: "How it stands then, as “security passcode status” shows it: one object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let description = DeviceDescription(report: try context.keychain.device(.lock))
        guard description.report.hasPasscode else {
            throw ToolError.failure(
                "file keychains are locked, and nothing else is: there is no passcode; “security passcode set” sets one"
            )
        }
        try description.show(in: context, asJSON: json, text: "")
        return ExitStatus.success
    }
}

/// `security unlock`
struct UnlockCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlocks the keychain with the passcode.",
        usage: "security unlock [--login] [--stdin|--descriptor n]",
        discussion: "Asks for the passcode at the terminal, and shows nothing of it.")

    @Flag(help: "Makes the login keychain as well, where there was never one.")
    var login = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        try PasscodeRun(context: context, source: source).run(login ? .logIn : .unlock)
        return ExitStatus.success
    }
}
