import ChatelaineModel
import FileKeychains
import Glibc
import SecurityServer

/// The inspection of a file keychain.
extension Inspection {
    /// Checks the file keychain after a fresh start; it has to open with the password of an expected state.
    mutating func lookAtKeychain(in home: Home) throws(KeychainError) {
        let expected = expectation.states.map(\.keychain)
        guard expected.contains(where: { $0 != nil }) else {
            return try expectNoKeychain(in: home)
        }
        let home = KeychainHome(home, isElsewhere: expectation.keychainIsElsewhere)
        var found: ObservedKeychain?
        do throws(KeychainError) {
            for password in Set(expected.compactMap { $0?.password }) where try home.unlock(password) {
                found = ObservedKeychain(
                    password: password, interval: try home.keychain.settings().lockInterval, items: try home.items())
                break
            }
            if found == nil { complain("no password opens the keychain") }
        } catch {
            // A program that is making a keychain has made its file already.
            let isBegun = home.keychain.isElsewhere && expected.contains(nil) && error.status == .invalidKeychain
            guard error.status == .noSuchKeychain || isBegun else { throw error }
        }
        if !expected.contains(found) {
            let items = expected.last??.items ?? [:]
            complain("the keychain has \(ScenarioRun.difference(found?.items ?? [:], items))")
        }
        guard found != nil else { return }
        if try !home.keychain.store().verifyRows().isEmpty { complain("rows of the keychain were altered") }
        let losses = try home.keychain.store().losses()
        if !expectation.keychainIsRestored, !losses.isEmpty {
            complain("the keychain reports losses where there are none: \(losses)")
        }
        home.lock()
        if try home.keychain.header().header.isEmpty { complain("the keychain has no header") }
        if expectation.keychainIsPublished, let found { try lookAtPublished(home, found) }
    }

    /// Checks that the published copy is whole and the one of the last publication, and that an opening brings it up to
    /// date.
    private mutating func lookAtPublished(
        _ home: KeychainHome, _ keychain: ObservedKeychain
    ) throws(KeychainError) {
        let passwords = Set(expectation.states.compactMap { $0.keychain?.password })
        if let copy = try home.published(passwords, as: "published-before") {
            let items = try self.items(published: copy)
            if let published = expectation.published, !published.contains(items) {
                complain("what was published has \(ScenarioRun.difference(items, keychain.items))")
            }
        } else if expectation.published != nil {
            complain("what was published is gone")
        }
        guard try home.unlock(keychain.password) else { return complain("the keychain does not open again") }
        // A fault may have begun a recovery, and a store that is being recovered is not published.
        while try home.keychain.store().continueRecovery() {}
        home.publish()
        home.lock()
        guard let copy = try home.published(passwords, as: "published-now") else {
            return complain("nothing is published of the keychain")
        }
        let items = try self.items(published: copy)
        if items != keychain.items {
            complain("what is published has \(ScenarioRun.difference(items, keychain.items))")
        }
    }

    private mutating func items(published copy: KeychainHome) throws(KeychainError) -> [String: Item] {
        if try !copy.keychain.store().verifyRows().isEmpty { complain("rows of the published keychain were altered") }
        let items = try copy.items()
        copy.lock()
        return items
    }

    /// Checks that the key file is whole or does not exist.
    mutating func lookAtMachineKey() {
        var status = stat()
        let size = stat("\(path)/\(KeychainHome.machineKeyName)", &status) == 0 ? Int(status.st_size) : nil
        if let size, size != MachineKey.byteCount { complain("the key file has \(size) bytes") }
        if !expectation.states.contains(where: { $0.hasMachineKey == (size != nil) }) {
            complain(size == nil ? "the key file is gone" : "there is a key file that nobody made")
        }
    }

    private mutating func expectNoKeychain(in home: Home) throws(KeychainError) {
        do throws(KeychainError) {
            _ = try KeychainHome(home, isElsewhere: expectation.keychainIsElsewhere).keychain.header()
            complain("a keychain is there that was deleted, or never made")
        } catch {
            guard error.status == .noSuchKeychain else { throw error }
        }
    }
}
