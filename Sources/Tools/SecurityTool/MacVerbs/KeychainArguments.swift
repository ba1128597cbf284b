import ChatelaineIPC
import ChatelaineModel

/// Resolves the names of keychains on the command line.
extension ToolContext {
    /// The keychain with a name or path; its file need not exist.
    func path(ofKeychain name: String) throws(KeychainError) -> KeychainPath {
        try KeychainPath(name, try keychain.deployment, environment)
    }

    /// The keychain with a name or path; the default keychain if it is nil.
    func path(ofKeychain name: String?) throws(KeychainError) -> KeychainPath {
        if let name { return try path(ofKeychain: name) }
        guard let path = try keychain.read(.defaultKeychain, of: .user).first else {
            throw KeychainError(.noDefaultKeychain, "name a keychain, or set the default one")
        }
        return try KeychainPath(resolved: path, in: try keychain.deployment.keychainsFolder)
    }

    /// Reports keychains that were copied while they were open, or came back from damage, since changes may be missing
    /// from them.
    ///
    /// The report goes to standard error, because scripts expect a known output.
    func tellOfMissingChanges(in paths: some Sequence<String>) {
        var told: Set<String> = []
        for path in paths where told.insert(path).inserted {
            guard let path = try? KeychainPath(resolved: path, in: keychain.deployment.keychainsFolder),
                let state = try? keychain.state(ofKeychain: path), state.mayLackChanges
            else { continue }
            complain(
                "changes may be missing from \(path.text), which was damaged, put back, or copied while it was open; see: security check "
                    + path.text)
        }
    }

    /// Shows a path as macOS does: after four blanks, in double quotes.
    func show(keychain path: String) throws(OutputError) {
        try output.write("    \"\(Printable.line(path, isForTerminal: output.isTerminal))\"\n")
    }
}

extension PreferenceDomain {
    /// The domain for a value of `-d`, a word or its beginning. Throws ``MacUsage`` for any other.
    init(word: String) throws(MacUsage) {
        guard !word.isEmpty, let domain = Self.allCases.first(where: { $0.word.hasPrefix(word) }) else {
            throw MacUsage("\(word) is no preference domain: there are user, system, common and dynamic")
        }
        self = domain
    }
}
