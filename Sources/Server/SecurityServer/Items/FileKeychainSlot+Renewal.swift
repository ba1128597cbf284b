import ChatelaineModel
import StoreEngine
import ChatelaineSystem

/// An empty keychain in the place of one that stays, under another name.
extension FileKeychainSlot {
    /// Former keychains of one name that lie beside it; who has more has something else in mind.
    private static let maximumFormer = 1000

    /// Makes an empty keychain; what was there is renamed, and as it was where none can be made.
    ///
    /// - Returns: the path of what was there; nil where nothing was.
    func beginAnew(password: Int32) throws(KeychainError) -> String? {
        guard FileIdentity(at: path.text) != nil else {
            _ = try create(password: password)
            return nil
        }
        // Complete, it is one file and nothing besides; of one that is being read, what is open goes with the file.
        try lock()
        let former = try freeName()
        try StoreFolder.move(path.text, to: former)
        do throws(KeychainError) { _ = try create(password: password) } catch {
            if FileIdentity(at: path.text) == nil { try StoreFolder.move(former, to: path.text) }
            throw error
        }
        return former
    }

    /// As on macOS: `login_renamed_1.keychain-db`.
    private func freeName() throws(KeychainError) -> String {
        let ending = ".keychain-db"
        let stem = path.text.hasSuffix(ending) ? String(path.text.dropLast(ending.count)) : path.text
        for number in 1...Self.maximumFormer {
            let name = "\(stem)_renamed_\(number)\(ending)"
            if FileIdentity(at: name) == nil { return name }
        }
        throw KeychainError(
            .notAvailable, "\(Self.maximumFormer) former keychains lie beside \(path.text); delete some of them first")
    }
}
