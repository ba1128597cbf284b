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

    /// Says of keychains that were copied while they were open that changes may be missing: on standard error, since scripts know what stands in the
    /// output.
    func tellOfMissingChanges(in paths: some Sequence<String>) {
        var told: Set<String> = []
        for path in paths where told.insert(path).inserted {
            guard let path = try? KeychainPath(resolved: path, in: keychain.deployment.keychainsFolder),
                let state = try? keychain.state(ofKeychain: path), state.mayLackChanges
            else { continue }
            complain(
                "\(path.text) was copied while it was open, and its last changes may be missing; see: security check "
                    + path.text)
        }
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
