import ChatelaineModel
import Glibc
import StoreEngine

/// The folder in which a keychain is made: it gets its name when it is whole, and then the folder goes.
struct KeychainDraft {
    private static let prefix = "new-"

    let folder: String
    /// Its mark, which is of no use once it has its name.
    var mark: String { folder + "/draft.mark" }
    var database: String { RowStore.database(in: folder) }

    /// A new folder; what daemons have left that ended meanwhile goes.
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

    /// Whether a name in our folder is that of a draft of a file, which has its own name by now; the draft is removed then.
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
