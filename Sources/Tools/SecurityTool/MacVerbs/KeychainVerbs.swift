import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// The verbs that make, delete, lock and unlock file keychains, and set their passwords.
enum KeychainVerbs {
    /// Makes keychains; stops at the first failure.
    static func create(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let names = arguments.operands.isEmpty ? [try askName(context)] : arguments.operands
        var password = MacPasswords.given(arguments.value(of: "p"))
        if password == nil, !arguments.has("P") {
            password = try MacPasswords(context: context).askTwice(
                "password for new keychain: ", again: "retype password for new keychain: ", or: "-p",
                opensKeychain: true)
        }
        for name in names {
            try MacVerb.calling("SecKeychainCreate", name) { [password] () throws(KeychainError) in
                let path = try context.path(ofKeychain: name).text
                guard let password else { return try context.keychain.ask(.create(path: path)) }
                try context.keychain.call(KeychainPasswordCommand.create(path: path), [password]).requireDone()
            }
        }
        return ExitStatus.success
    }

    /// Reads a name from standard input byte by byte, so that the next reader gets what follows the line.
    private static func askName(_ context: ToolContext) throws -> String {
        try context.errors.write("keychain to create: ")
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(context.standardInput, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
            guard line.count < Int(PATH_MAX) else { throw MacUsage("a keychain's path is longer than a path can be") }
        }
        guard !line.isEmpty, let name = String(validating: line, as: UTF8.self) else {
            throw ToolError.failure("no keychain was named", exitStatus: ExitStatus.promptFailed)
        }
        return name
    }

    /// Deletes each of the keychains, also after one that cannot be deleted.
    static func delete(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard !arguments.operands.isEmpty else {
            throw MacFailure(
                call: "SecKeychainDelete",
                error: KeychainError(.invalidKeychain, "no keychain was named; nothing was deleted"))
        }
        var failures: [MacFailure] = []
        for name in arguments.operands {
            do throws(MacFailure) {
                try MacVerb.calling("SecKeychainDelete", arguments.operands.count > 1 ? name : nil) {
                    () throws(KeychainError) in
                    try context.keychain.carryOut(.delete(path: try context.path(ofKeychain: name).text))
                }
            } catch { failures.append(error) }
        }
        for failure in failures.dropLast() { failure.report(in: context) }
        if let last = failures.last { throw last }
        return ExitStatus.success
    }

    static func lock(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let name = arguments.operands.first
        if arguments.has("a") {
            guard name == nil else { throw MacUsage() }
            try MacVerb.calling("SecKeychainLockAll") { () throws(KeychainError) in
                try context.keychain.carryOut(.lockAll)
            }
            return ExitStatus.success
        }
        guard name != "" else { throw MacUsage() }
        try MacVerb.calling("SecKeychainLock", name ?? "<NULL>") { () throws(KeychainError) in
            let path = try context.path(ofKeychain: name)
            // Without this check, locking a keychain that does not exist would succeed.
            _ = try context.keychain.state(ofKeychain: path)
            try context.keychain.carryOut(.lock(path: path.text))
        }
        return ExitStatus.success
    }

    static func unlock(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let name = arguments.operands.first
        let path = try MacVerb.calling("SecKeychainUnlock", name ?? "<NULL>") { () throws(KeychainError) in
            let path = try context.path(ofKeychain: name)
            if arguments.has("u") {
                try context.keychain.ask(.unlock(path: path.text))
            } else {
                // A keychain that does not exist is reported before its password is asked for.
                _ = try context.keychain.state(ofKeychain: path)
            }
            return path
        }
        defer { context.tellOfMissingChanges(in: [path.text]) }
        if arguments.has("u") { return ExitStatus.success }
        let password =
            try MacPasswords.given(arguments.value(of: "p"))
            ?? MacPasswords(context: context).ask(
                "password to unlock \(Printable.text(name ?? "default")): ", or: "-p")
        try MacVerb.calling("SecKeychainUnlock", name ?? "<NULL>") { () throws(KeychainError) in
            try context.keychain.call(KeychainPasswordCommand.unlock(path: path.text), [password]).requireDone()
        }
        return ExitStatus.success
    }

    static func setPassword(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let name = arguments.operands.first
        let prompts = MacPasswords(context: context, unanswered: ExitStatus.failure)
        let old = try MacPasswords.given(arguments.value(of: "o")) ?? prompts.ask("Old Password: ", or: "-o")
        let new =
            try MacPasswords.given(arguments.value(of: "p"))
            ?? prompts.askTwice(
                "New Password: ", again: "Retype New Password: ", or: "-p", tries: 1, opensKeychain: true)
        try MacVerb.calling("SecKeychainChangePassword") { () throws(KeychainError) in
            let path = try context.path(ofKeychain: name)
            try context.keychain.call(KeychainPasswordCommand.change(path: path.text), [old, new]).requireDone()
        }
        return ExitStatus.success
    }
}
