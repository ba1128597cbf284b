import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// The keychain preferences of this user: their own, from a file that only this class writes, and the machine's, from a
/// file of root.
///
/// Each query checks the files, and reads those that differ from before, since a backup may have been put in their
/// place. An error in the machine's file keeps nobody from their own keychains. The built-in values hold then, and
/// queries about these domains report the error.
final class KeychainPreferencesKeeper: Sendable {
    typealias Change = KeychainPreferencesChange

    private struct State: Sendable {
        var preferences = KeychainPreferences()
        /// The preferences that subscribers know; nil before the first look.
        var told: KeychainPreferences?
        /// The content that the preferences come from; nil where it has to be read.
        var content: KeychainPreferencesFile.Content?
        var machine: RootFile?
        var machineProblem: KeychainError?
    }

    private let file: KeychainPreferencesFile
    private let folders: KeychainFolders
    private let machine: MachinePreferences
    private let log: Log
    private let changed: @Sendable ([Change], KeychainPreferences) -> Void
    private let state = AdaptiveMutex(State())

    /// Makes a keeper that has read nothing yet.
    ///
    /// - Parameters:
    ///   - changed: receives every change, whoever made it, and the present preferences. It is called on the thread
    ///     that notices, with nothing locked.
    init(
        _ file: KeychainPreferencesFile, folders: KeychainFolders, machine: MachinePreferences, log: Log,
        changed: @escaping @Sendable ([Change], KeychainPreferences) -> Void
    ) {
        self.file = file
        self.folders = folders
        self.machine = machine
        self.log = log
        self.changed = changed
    }

    // MARK: Questions

    func searchList(of domain: PreferenceDomain) throws(KeychainError) -> [KeychainPlace] {
        try current(domain).searchList(of: domain, in: folders)
    }

    func defaultKeychain(of domain: PreferenceDomain) throws(KeychainError) -> KeychainPlace {
        try current(domain).defaultKeychain(of: domain, in: folders)
    }

    /// The login keychain of a domain; nil where none is set.
    func loginKeychain(of domain: PreferenceDomain) throws(KeychainError) -> KeychainPlace? {
        try current(domain).loginKeychain(of: domain, in: folders)
    }

    /// Whether somebody has deleted the login keychain, and none was needed since.
    func hasGivenUpLogin() throws(KeychainError) -> Bool { try current(.user).user.hasGivenUpLogin }

    /// Why the machine's file does not count; nil where it does, or where there is none.
    var machineProblem: String? {
        state.withLock { state in
            lookAtMachine(&state)
            return state.machineProblem?.reason
        }
    }

    func ownList(of domain: PreferenceDomain) throws(KeychainError) -> [KeychainPlace] {
        try current(domain).ownList(of: domain, in: folders)
    }

    // MARK: Changes

    /// Sets the searched keychains.
    ///
    /// Common keychains are not added to the user's own list.
    func setSearched(_ paths: [String], of domain: PreferenceDomain) throws(KeychainError) {
        try change(domain, mayBeginAnew: true) { [folders] (preferences) throws(KeychainError) in
            try preferences.setSearched(paths, of: domain, in: folders)
        }
    }

    /// Sets a search list.
    ///
    /// A damaged file is replaced, and kept aside.
    func setSearchList(_ paths: [String], of domain: PreferenceDomain) throws(KeychainError) {
        try change(domain, mayBeginAnew: true) { [folders] (preferences) throws(KeychainError) in
            try preferences.setSearchList(paths, of: domain, in: folders)
        }
    }

    /// Sets or clears the default keychain.
    ///
    /// A damaged file is replaced, and kept aside.
    func setDefaultKeychain(_ path: String?, of domain: PreferenceDomain) throws(KeychainError) {
        try change(domain, mayBeginAnew: true) { [folders] (preferences) throws(KeychainError) in
            try preferences.setDefaultKeychain(path, of: domain, in: folders)
        }
    }

    func setLoginKeychain(_ path: String?, of domain: PreferenceDomain) throws(KeychainError) {
        try change(domain) { [folders] (preferences) throws(KeychainError) in
            try preferences.setLoginKeychain(path, of: domain, in: folders)
        }
    }

    /// Adds a new keychain of the user at the end of their search list.
    func add(_ path: String) throws(KeychainError) {
        try change(.user) { [folders] (preferences) throws(KeychainError) in
            try preferences.add(path, to: .user, in: folders)
        }
    }

    /// Removes a deleted keychain from the search list and from the user's default.
    func remove(_ path: String) throws(KeychainError) {
        try change(.user) { [folders] (preferences) throws(KeychainError) in
            try preferences.remove(path, from: .user, in: folders)
        }
    }

    // MARK: Looking

    private func current(_ domain: PreferenceDomain) throws(KeychainError) -> KeychainPreferences {
        let (preferences, changes) = try state.withLock {
            (state) throws(KeychainError) -> (KeychainPreferences, [Change]) in
            lookAtMachine(&state)
            if domain != .user, domain != .dynamic, let problem = state.machineProblem { throw problem }
            do throws(KeychainError) { try lookAtUsers(&state) } catch {
                // The other domains do not depend on the user's file. Changes are announced once all of it can be read.
                guard domain != .user else { throw error }
                return (state.preferences, [])
            }
            return (state.preferences, tell(&state))
        }
        // The caller did not make these changes.
        if !changes.isEmpty { Originator.asDaemon { changed(changes, preferences) } }
        return preferences
    }

    /// Makes one change at a time, each from the result of the one before.
    ///
    /// - Parameter mayBeginAnew: whether a damaged file may be replaced, since a change that sets a value needs none of
    ///   the former ones.
    private func change(
        _ domain: PreferenceDomain, mayBeginAnew: Bool = false,
        _ body: (inout KeychainPreferences) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let (preferences, changes) = try state.withLock {
            (state) throws(KeychainError) -> (KeychainPreferences, [Change]) in
            lookAtMachine(&state)
            let part: KeychainPreferences.Part = domain == .system || domain == .common ? .machines : .users
            let isDamaged = try look(at: part, mayBeginAnew: mayBeginAnew, &state)
            var new = state.preferences
            try body(&new)
            let writing = part == .machines ? machine.writing : nil
            guard part == .users || writing != nil else { throw MachinePreferences.readOnly(domain) }
            guard isDamaged || new != state.preferences else { return (state.preferences, tell(&state)) }
            try writing?.prepare()
            try write(new, part, to: writing?.file ?? file, isDamaged: isDamaged, &state)
            return (state.preferences, tell(&state))
        }
        if !changes.isEmpty { changed(changes, preferences) }
    }

    /// Makes sure that a file can be changed.
    ///
    /// - Returns: whether it is damaged and is to begin anew; the preferences are then those without the file.
    private func look(
        at part: KeychainPreferences.Part, mayBeginAnew: Bool, _ state: inout State
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            switch part {
            case .users: try lookAtUsers(&state)
            case .machines: if let problem = state.machineProblem { throw problem }
            }
            return false
        } catch {
            guard mayBeginAnew, error.cause == .damage else { throw error }
            if part == .users { state.content = nil }
            state.preferences.reset(part)
            return true
        }
    }

    private func write(
        _ new: KeychainPreferences, _ part: KeychainPreferences.Part, to file: KeychainPreferencesFile,
        isDamaged: Bool, _ state: inout State
    ) throws(KeychainError) {
        if isDamaged { try file.keepAside(try file.content(knowing: nil).bytes) }
        // If the write fails, the file may have either content.
        switch part {
        case .users: state.content = nil
        case .machines: (state.machine, state.machineProblem) = (nil, nil)
        }
        try file.write(new.encoded(part))
        state.preferences = new
        if isDamaged {
            log.warning("\(file.path) was damaged; it begins anew, and what it held is in \(file.path).damaged")
        }
    }

    private func tell(_ state: inout State) -> [Change] {
        guard state.told != state.preferences else { return [] }
        defer { state.told = state.preferences }
        return state.told.map { state.preferences.changes(since: $0, in: folders) } ?? []
    }

    private func lookAtUsers(_ state: inout State) throws(KeychainError) {
        let content = try file.content(knowing: state.content)
        guard content != state.content else { return }
        if content.status == nil {
            state.preferences.reset(.users)
        } else {
            state.preferences = try read(.users, content.bytes, into: state.preferences, file.path)
        }
        state.content = content
    }

    private func lookAtMachine(_ state: inout State) {
        let found = machine.read()
        guard found != state.machine else { return }
        state.machine = found
        state.machineProblem = nil
        state.preferences.reset(.machines)
        do throws(KeychainError) {
            switch found {
            case .missing: break
            case .content(let bytes):
                state.preferences = try read(.machines, bytes, into: state.preferences, "the machine\u{2019}s file")
            case .unusable(let reason), .unreadable(let reason):
                throw KeychainError(.notAvailable, reason)
            }
        } catch {
            state.machineProblem = error
            log.warning("the machine\u{2019}s keychain preferences do not count: \(error.reason)")
        }
    }

    private func read(
        _ part: KeychainPreferences.Part, _ bytes: [UInt8], into preferences: KeychainPreferences, _ path: String
    ) throws(KeychainError) -> KeychainPreferences {
        let read: KeychainPreferences?
        do throws(CBORError) {
            read = try bytes.withUnsafeBufferPointer { bytes throws(CBORError) in
                try preferences.replacing(part, by: UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw KeychainError(
                cause: .damage, "\(path) is damaged: \(error); set the search list and the default keychain anew")
        }
        guard let read else {
            throw KeychainError(cause: .newerFormat, "\(path) was written by a later version of Chatelaine")
        }
        return read
    }
}
