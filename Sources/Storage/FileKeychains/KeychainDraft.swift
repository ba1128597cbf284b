import ChatelaineModel
import Glibc
import StoreEngine

/// The folder in which a keychain is made; the whole keychain gets its name, and the folder is removed.
struct KeychainDraft {
    private static let prefix = "new-"

    let folder: String
    /// The draft's mark, which is useless once the keychain has its name.
    var mark: String { folder + "/draft.mark" }
    var database: String { RowStore.database(in: folder) }

    /// Makes a new folder, and removes the drafts of daemons that ended.
    init(_ places: FileKeychainPlaces) throws(KeychainError) {
        try StoreFolder.makeDurable(places.stores)
        let own = "\(Self.prefix)\(getpid())-"
        for name in try StoreFolder.names(in: places.stores) where name.hasPrefix(Self.prefix) && !name.hasPrefix(own) {
            try StoreFolder.removeAll("\(places.stores)/\(name)")
        }
        folder = "\(places.stores)/\(own)\(Hexadecimal.text(of: StoreIdentifier().bytes))"
        try StoreFolder.makeDurable(folder)
    }

    func remove() throws(KeychainError) { try StoreFolder.removeAll(folder) }

    /// Whether a name in the folder of check-outs is the draft of a file that has its own name by now; removes such a
    /// draft.
    static func isDraft(
        _ name: String, of file: KeychainFile, _ places: FileKeychainPlaces
    ) throws(KeychainError) -> Bool {
        let folder = "\(places.stores)/\(name)"
        guard name.hasPrefix(prefix), try KeychainFile.identity(at: RowStore.database(in: folder)) == file.identity
        else { return false }
        try StoreFolder.removeAll(folder)
        return true
    }
}
