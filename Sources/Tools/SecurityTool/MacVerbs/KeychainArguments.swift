import ChatelaineIPC
import ChatelaineModel

/// Keychains as the words of a command name them.
extension ToolContext {
    /// What a name or a path stands for; the file need not be there.
    func path(ofKeychain name: String) throws(KeychainError) -> KeychainPath {
        try KeychainPath(name, try keychain.deployment, environment)
    }

    /// The same, and the default keychain where none is named.
    func path(ofKeychain name: String?) throws(KeychainError) -> KeychainPath {
        if let name { return try path(ofKeychain: name) }
        guard let path = try keychain.read(.defaultKeychain, of: .user).first else {
            throw KeychainError(.noDefaultKeychain, "name a keychain, or set the default one")
        }
        return try KeychainPath(resolved: path, in: try keychain.deployment.keychainsFolder)
    }

    /// A path as macOS shows one: behind four blanks, in double quotes.
    func show(keychain path: String) throws(OutputError) {
        try output.write("    \"\(output.isTerminal ? Printable.text(path) : path)\"\n")
    }
}

extension PreferenceDomain {
    /// What `-d` means: the word or its beginning. Throws ``MacUsage`` for any other.
    init(word: String) throws(MacUsage) {
        guard !word.isEmpty, let domain = Self.allCases.first(where: { $0.word.hasPrefix(word) }) else {
            throw MacUsage("\(word) is no preference domain: there are user, system, common and dynamic")
        }
        self = domain
    }
}
