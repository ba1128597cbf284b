import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security passcode set`: sets the first passcode.
struct PasscodeSetCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Sets the first passcode.",
        usage: "security passcode set [--stdin|--descriptor n]",
        discussion: "It is asked for twice at the terminal. Its bytes count as they are typed or read, "
            + "\(Limits.newPasscodeBytes) to \(Limits.passcodeBytes) of them. Nobody can find out a passcode that is forgotten: what it "
            + "protects is lost then.")

    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        try PasscodeRun(context: context, source: source).run(.set)
        return ExitStatus.success
    }
}

/// `security passcode change`
struct PasscodeChangeCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Sets another passcode in the place of the present one.",
        usage: "security passcode change [--new-keys] [--stdin|--descriptor n]",
        discussion:
            "What is read has two lines: the present passcode and the new one. The keys stay: whoever has a copy of the files of "
            + "before, and the passcode of before, opens what was stored until --new-keys.")

    @OptionGroup var source: PasscodeSourceOptions
    @Flag(name: .long, help: "Make new keys besides, under which everything is sealed anew.")
    var newKeys = false

    func run(in context: ToolContext) throws -> Int32 {
        try PasscodeRun(context: context, source: source).run(.change, newKeys: newKeys)
        return ExitStatus.success
    }
}

/// `security passcode remove`
struct PasscodeRemoveCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes the passcode, and deletes the items that need one.",
        usage: "security passcode remove [--stdin|--descriptor n]",
        discussion:
            "Items of the class WhenPasscodeSetThisDeviceOnly are gone for good. All others are protected by this machine's key "
            + "alone from then on.")

    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        try PasscodeRun(context: context, source: source).run(.remove)
        return ExitStatus.success
    }
}

/// `security passcode status`
struct PasscodeStatusCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows whether there is a passcode, and the wrong tries.",
        usage: "security passcode status [--json]",
        discussion:
            "Wrong tries are those of this command, since the last right one: they are counted for each program.")

    @Flag(name: .long, help: "One object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let description = DeviceDescription(report: try context.keychain.device(.state))
        try description.show(in: context, asJSON: json, text: description.text)
        return ExitStatus.success
    }
}
