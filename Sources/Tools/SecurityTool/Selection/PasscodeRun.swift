import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import PasswordQuality

/// Runs a command with passcodes: reads or asks for them, sends the command, and reports the result.
struct PasscodeRun {
    let context: ToolContext
    let source: PasscodeSourceOptions

    /// - Parameter newKeys: whether to make new keys once the passcode is changed.
    func run(_ command: PasscodeCommand, newKeys: Bool = false) throws {
        let read = try source.read(command.parts.count, in: context)
        // Any other error is reported before a person types.
        let before = DeviceDescription(report: try context.keychain.device(.state))
        guard before.report.hasPasscode != (command == .set) else {
            throw KeychainError(
                .param,
                command == .set
                    ? "there is a passcode already; “security passcode change” sets another"
                    : "there is no passcode; “security passcode set” sets one")
        }
        if command != .set, before.report.delay > 0 { throw before.delayed }
        let passcodes = try read ?? ask(command)
        let new = zip(command.parts, passcodes).first { $0.0 == .new }?.1
        if let new, new.count < Limits.newPasscodeBytes {
            throw KeychainError(
                .param, "a passcode of \(new.count) bytes is too short; take \(Limits.newPasscodeBytes) or more")
        }
        let keychain = context.keychain
        let after = DeviceDescription(
            report: try context.progress.watch("checking the passcode") { () throws(KeychainError) in
                try keychain.call(command, passcodes)
            })
        try after.requireDone()
        guard let new else { return }
        tellStrength(of: new, after)
        if newKeys { try makeNewKeys(new) }
    }

    private func ask(_ command: PasscodeCommand) throws -> [SecretBytes] {
        try command.parts.map { part in
            switch part {
            case .new: try PasscodeSourceOptions.askNew(in: context)
            // No command of this tool takes a password of a program, and file keychains have no passcode.
            case .present, .applicationPassword, .keychainFile, .keychainFolder:
                try PasscodeSourceOptions.ask(command == .change ? "Present passcode: " : "Passcode: ", in: context)
            }
        }
    }

    private func makeNewKeys(_ passcode: SecretBytes) throws {
        let keychain = context.keychain
        do throws(KeychainError) {
            let report = try context.progress.watch("making new keys") { () throws(KeychainError) in
                try keychain.call(.newKeys, [passcode])
            }
            try DeviceDescription(report: report).requireDone()
        } catch {
            throw error.during("the passcode was changed, but no new keys were made")
        }
    }

    /// Reports the cost of a guess, and the number of guesses that the passcode withstands.
    ///
    /// Anyone who has the disk, or runs programs as this user, can guess at this cost. The passcode is set by now, so
    /// that nothing here may fail.
    private func tellStrength(of passcode: SecretBytes, _ after: DeviceDescription) {
        let strength = PasswordStrength(estimating: passcode)
        try? context.output.write(
            "Whoever has a copy of your files can guess: each guess takes \(after.price), about a tenth of a second on this machine.\n"
                + "This passcode is \(strength.step.text): about \(strength.bits) bits, and less if it is made of what others know of you, or of words that are not English.\n"
        )
        if strength.isWeak {
            context.complain(
                "warning: below \(PasswordStrength.sensibleBits) bits a passcode is found by guessing; six or more words at random are not"
            )
        }
    }
}
