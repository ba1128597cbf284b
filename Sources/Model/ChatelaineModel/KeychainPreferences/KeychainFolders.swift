/// The folders of keychains that have a name instead of a path, and the forms of those names.
///
/// In these folders a file's name ends in `-db`, which preferences leave out, as Apple's do: `login.keychain` stands
/// for `login.keychain-db`. Paths elsewhere stay as they are. If only a file without the ending exists, the code that
/// opens the keychain takes that file.
package struct KeychainFolders: Sendable, Equatable {
    package static let ending = "-db"
    /// The folder of the machine's keychains, wherever the user's folder is.
    package static let machine = "/var/lib/chatelaine/keychains"

    /// The folder of the user's keychains.
    package let user: String
    /// The folder of the machine's keychains, for names in the other domains.
    package let machine: String

    package init(user: String, machine: String = Self.machine) {
        self.user = user
        self.machine = machine
    }

    /// The whole path of a keychain.
    ///
    /// - Parameter given: a name, or an absolute path without `.` and `..`.
    /// - Throws: `errSecParam` for anything else.
    package func path(of given: String, in domain: PreferenceDomain) throws(KeychainError) -> KeychainPlace {
        guard let given = KeychainPlace(given) else { throw Self.invalid }
        let whole = ended(given.isAbsolute ? given : KeychainPlace(long: "\(folder(of: domain))/\(given.text)"))
        guard whole.text.utf8.count <= KeychainPlace.maximumBytes else { throw Self.invalid }
        return whole
    }

    /// The whole path of a keychain that preferences store; it may be longer than the kernel accepts.
    package func path(of stored: KeychainPlace, in domain: PreferenceDomain) -> KeychainPlace {
        guard !stored.isAbsolute else { return ended(stored) }
        return KeychainPlace(long: "\(folder(of: domain))/\(stored.text)\(Self.ending)")
    }

    /// The form in which a domain's preferences store a keychain.
    ///
    /// A keychain in the domain's folder is stored as its name without the ending.
    package func stored(_ given: String, in domain: PreferenceDomain) throws(KeychainError) -> KeychainPlace {
        let whole = try path(of: given, in: domain)
        guard let name = whole.name(in: folder(of: domain)) else { return whole }
        let bare = name.utf8.dropLast(Self.ending.utf8.count)
        // A name that is only the ending would become empty, so it stays a path.
        return KeychainPlace(String(Substring(bare))) ?? whole
    }

    private func folder(of domain: PreferenceDomain) -> String { domain == .user ? user : machine }

    /// The path with the ending, if it is in one of our folders.
    private func ended(_ path: KeychainPlace) -> KeychainPlace {
        guard let name = path.name(in: user) ?? path.name(in: machine),
            !name.utf8.suffix(Self.ending.utf8.count).elementsEqual(Self.ending.utf8)
        else { return path }
        return KeychainPlace(long: path.text + Self.ending)
    }

    private static var invalid: KeychainError {
        KeychainError(
            .param,
            "this is no place of a keychain; give a name, or an absolute path without . and .. "
                + "of \(KeychainPlace.maximumBytes) bytes at the most")
    }
}
