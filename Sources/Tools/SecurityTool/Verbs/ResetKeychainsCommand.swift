import ArgumentParser
import ChatelaineModel

/// `security reset-keychains`
struct ResetKeychainsCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-keychains", abstract: "Begins anew with an empty login keychain; nothing is deleted.",
        usage: "security reset-keychains [--stdin|--descriptor n]",
        discussion:
            "Asks for its password, twice; with that of the passcode it is unlocked with the device. It is the default then, and the only one of yours that is searched. "
            + "The former login keychain is renamed, which is said, and opens with the password it had.")

    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let read = try source.read(1, in: context)?.first
        let password =
            try read
            ?? MacPasswords(context: context).askTwice(
                "password for new keychain: ", again: "retype password for new keychain: ",
                or: "--stdin or --descriptor", opensKeychain: true)
        if let former = try context.keychain.resetKeychains(password: password) {
            try context.output.write("The former login keychain is \(Printable.text(former)).\n")
        }
        return ExitStatus.success
    }
}
