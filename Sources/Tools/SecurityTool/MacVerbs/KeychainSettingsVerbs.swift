import ChatelaineModel

/// `set-keychain-settings` and `show-keychain-info`.
enum KeychainSettingsVerbs {
    /// Replaces all settings: those that are not given are off. `-t` implies an interval, and `-u` alone has no effect.
    static func set(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        var settings = KeychainSettings()
        settings.locksOnSleep = arguments.has("l")
        settings.lockInterval = KeychainSettings.never
        if let text = arguments.value(of: "t") {
            guard let seconds = UInt32(text), seconds <= KeychainSettings.never else {
                throw MacUsage("\(text) is no number of seconds from 0 to \(KeychainSettings.never)")
            }
            settings.lockInterval = seconds
        }
        let name = arguments.operands.first
        try MacVerb.calling("SecKeychainSetSettings", name ?? "<NULL>") { [settings] () throws(KeychainError) in
            try context.keychain.set(settings, ofKeychain: try context.path(ofKeychain: name), .allow)
        }
        return ExitStatus.success
    }

    /// Shows the settings on standard error, as macOS does.
    static func show(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let name = arguments.operands.first
        let settings = try MacVerb.calling("SecKeychainCopySettings", name ?? "<NULL>") {
            () throws(KeychainError) in
            guard !arguments.has("s") else {
                throw KeychainError(.unimplemented, "the salt of a keychain is shown to nobody; leave out -s")
            }
            return try context.keychain.settings(ofKeychain: try context.path(ofKeychain: name), .allow)
        }
        defer { if let path = try? context.path(ofKeychain: name) { context.tellOfMissingChanges(in: [path.text]) } }
        let sleep = settings.locksOnSleep ? " lock-on-sleep" : ""
        let time = settings.seconds == nil ? " no-timeout" : " timeout=\(settings.lockInterval)s"
        try context.errors.write("Keychain \"\(Printable.text(name ?? "<NULL>"))\"\(sleep)\(time)\n")
        return ExitStatus.success
    }
}
