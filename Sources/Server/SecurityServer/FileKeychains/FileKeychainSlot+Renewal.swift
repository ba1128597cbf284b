import ChatelaineModel
import ChatelaineSystem
import StoreEngine

/// Puts an empty keychain in the place of another, which stays under another name.
extension FileKeychainSlot {
    /// The number of former keychains of one name that may lie beside the keychain.
    private static let maximumFormer = 1000

    /// Makes an empty keychain and renames the former one.
    ///
    /// Where none can be made, the former one gets its name back.
    ///
    /// - Returns: the path of the former keychain; nil where there was none.
    func beginAnew(password: Int32) throws(KeychainError) -> String? {
        guard FileIdentity(at: path.text) != nil else {
            _ = try create(password: password)
            return nil
        }
        // A completed keychain is one file. If it is still being read, its open parts go with the file.
        try lock()
        let former = try freeName()
        try StoreFolder.move(path.text, to: former)
        do throws(KeychainError) { _ = try create(password: password) } catch {
            if FileIdentity(at: path.text) == nil { try StoreFolder.move(former, to: path.text) }
            throw error
        }
        return former
    }

    /// The name for the former keychain, as on macOS: `login_renamed_1.keychain-db`.
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
