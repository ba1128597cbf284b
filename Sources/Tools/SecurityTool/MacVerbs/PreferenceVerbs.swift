import ChatelaineModel

/// `list-keychains`, `default-keychain` and `login-keychain`; every failure gives exit status 1.
enum PreferenceVerbs {
    static func list(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let domain = try arguments.value(of: "d").map { text throws(MacUsage) in try PreferenceDomain(word: text) }
        // A named domain shows its own list; without one, everything that is searched is shown.
        let list = domain == nil ? KeychainPreference.searched : .searchList
        let function = domain == nil ? "SearchList" : "DomainSearchList"
        guard arguments.has("s") else {
            guard arguments.operands.isEmpty else { throw MacUsage() }
            return try show(list, domain, "SecKeychainCopy\(function)", context)
        }
        try set(list, domain, to: arguments.operands, "SecKeychainSet\(function)", context)
        return ExitStatus.success
    }

    static func defaultKeychain(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let domain = try arguments.value(of: "d").map { text throws(MacUsage) in try PreferenceDomain(word: text) }
        let function = domain == nil ? "Default" : "DomainDefault"
        guard arguments.has("s") else {
            guard arguments.operands.isEmpty else { throw MacUsage() }
            return try show(.defaultKeychain, domain, "SecKeychainCopy\(function)", context)
        }
        try set(.defaultKeychain, domain, to: arguments.operands, "SecKeychainSet\(function)", context)
        return ExitStatus.success
    }

    static func loginKeychain(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let domain = try arguments.value(of: "d").map { text throws(MacUsage) in try PreferenceDomain(word: text) }
        guard !arguments.has("s"), domain == nil else {
            context.complain("login-keychain shows the user's login keychain and does nothing else, as on macOS")
            return ExitStatus.failure
        }
        guard arguments.operands.isEmpty else { throw MacUsage() }
        let keychain = context.keychain
        let path = try MacVerb.calling("SecKeychainCopyLogin", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in
            guard let path = try keychain.read(.loginKeychain, of: .user).first else {
                throw KeychainError(.noSuchKeychain, "no login keychain is set")
            }
            return path
        }
        try context.show(keychain: path)
        return ExitStatus.success
    }

    private static func show(
        _ preference: KeychainPreference, _ domain: PreferenceDomain?, _ function: String, _ context: ToolContext
    ) throws -> Int32 {
        let keychain = context.keychain
        let paths = try MacVerb.calling(function, domain?.word, exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in try keychain.read(preference, of: domain ?? .user)
        }
        for path in paths { try context.show(keychain: path) }
        return ExitStatus.success
    }

    private static func set(
        _ preference: KeychainPreference, _ domain: PreferenceDomain?, to names: [String], _ function: String,
        _ context: ToolContext
    ) throws(MacFailure) {
        let keychain = context.keychain
        try MacVerb.calling(function, domain?.word, exitStatus: ExitStatus.failure) { () throws(KeychainError) in
            var paths: [String] = []
            // In other domains names are relative to the machine's folder, which securityd resolves.
            let isUsers = domain == nil || domain == .user
            for name in names { paths.append(isUsers ? try context.path(ofKeychain: name).text : name) }
            try keychain.set(preference, of: domain ?? .user, to: paths)
        }
    }
}
