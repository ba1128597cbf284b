import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import StoreEngine
import SystemCalls

/// The check-out of a keychain's file: a second name in one of the daemon's folders, for as long as the keychain is
/// open.
///
/// SQLite puts its log beside the name by which it opens a database. So the log never lies beside the keychain, and a
/// log that somebody has planted there is never read. The second name also records which file a log belongs to: the
/// same inode, or none.
struct FileCheckOut: Sendable {
    let places: FileKeychainPlaces
    let keychain: StoreIdentifier

    var folder: String { places.store(of: keychain) }
    var database: String { RowStore.database(in: folder) }

    /// What the daemon's folders say about a file that may have more than one name.
    enum Standing {
        /// The file is not checked out.
        case resting
        /// The file was open when a daemon ended: its log may have changes that the file lacks.
        case checkedOut(FileCheckOut)
        /// A recovery set the damaged file aside, and the database in the check-out's folder is to replace it.
        case replaced(FileCheckOut)
        /// Somebody else has given the file another name.
        case shared
    }

    static func standing(of file: KeychainFile, _ places: FileKeychainPlaces) throws(KeychainError) -> Standing {
        guard file.links > 1 else { return .resting }
        let names = try StoreFolder.exists(places.stores) ? StoreFolder.names(in: places.stores) : []
        for name in names {
            // A daemon ended after a new keychain got its name and before the draft was removed.
            if try KeychainDraft.isDraft(name, of: file, places) { return .resting }
            guard let bytes = Hexadecimal.bytes(of: name.utf8), let keychain = StoreIdentifier(bytes) else { continue }
            let checkOut = FileCheckOut(places: places, keychain: keychain)
            if try KeychainFile.identity(at: checkOut.database) == file.identity { return .checkedOut(checkOut) }
            if try checkOut.hasReplaced(file) { return .replaced(checkOut) }
        }
        return try wasBeingReplaced(file, names, places) ?? .shared
    }

    /// The check-out of a file that was on its way to the quarantine when a daemon ended.
    ///
    /// Its replacement came too late, so that the folder moves back. Another thread may find that out at the same time.
    /// A keychain that is open in this process may be in the middle of a replacement, and its folder is not moved.
    private static func wasBeingReplaced(
        _ file: KeychainFile, _ names: [String], _ places: FileKeychainPlaces
    ) throws(KeychainError) -> Standing? {
        for name in names {
            guard let bytes = Hexadecimal.bytes(of: name.prefix { $0 != "." }.utf8),
                let keychain = StoreIdentifier(bytes)
            else { continue }
            let checkOut = FileCheckOut(places: places, keychain: keychain)
            guard name == KeychainFile.name(of: StorePlaces(store: checkOut.folder).quarantine) else { continue }
            for aside in try StoreFolder.names(in: "\(places.stores)/\(name)") {
                let folder = "\(places.stores)/\(name)/\(aside)"
                guard try KeychainFile.identity(at: RowStore.database(in: folder)) == file.identity else { continue }
                guard places.open.path(of: keychain) == nil, try !StoreFolder.exists(checkOut.folder) else {
                    return nil
                }
                do throws(KeychainError) { try StoreFolder.move(folder, to: checkOut.folder) } catch {
                    guard try KeychainFile.identity(at: checkOut.database) == file.identity else { throw error }
                }
                return .checkedOut(checkOut)
            }
        }
        return nil
    }

    /// Whether a recovery has set the file aside and begun the database that is in the folder now.
    ///
    /// The file's presence in the quarantine is no proof, since other files are set aside there as well.
    private func hasReplaced(_ file: KeychainFile) throws(KeychainError) -> Bool {
        let quarantine = StorePlaces(store: folder).quarantine
        guard try KeychainFile.identity(at: database) != nil, try StoreFolder.exists(quarantine) else { return false }
        for name in try StoreFolder.names(in: quarantine) {
            let aside = RowStore.database(in: "\(quarantine)/\(name)")
            guard try KeychainFile.identity(at: aside) == file.identity else { continue }
            return try UnverifiedItems(database, hasLog: true).isRecovered(from: name)
        }
        return false
    }

    /// Gives the file its second name, which is on disk when it returns; remains of another file of the same keychain
    /// are set aside.
    func begin(_ file: KeychainFile) throws(KeychainError) {
        if try StoreFolder.exists(folder) {
            if let status = try KeychainFile.status(of: database) {
                if FileIdentity(status) == file.identity { return }
                // The database may have changes that the other file lacks.
                guard status.st_nlink == 1, try !belongs(toAnotherThan: file.identity) else {
                    throw Self.copyIsOpen(file.path)
                }
            }
            try setAside()
        }
        try StoreFolder.makeDurable(folder)
        do throws(KeychainError) {
            try KeychainFile.link(file.path, as: database)
            guard try KeychainFile.identity(at: database) == file.identity else {
                throw KeychainFile.exchanged(file.path)
            }
        } catch {
            try? StoreFolder.remove(folder)
            throw error
        }
        try StoreFolder.sync(folder)
        try StoreFolder.sync(places.stores)
    }

    /// Removes the second name; the caller has settled the log, and nobody has the database open by that name.
    func end() throws(KeychainError) {
        try StoreFolder.remove(folder)
        try StoreFolder.sync(places.stores)
    }

    /// Moves the folder to the quarantine, where no other keychain of that identifier meets it.
    func setAside() throws(KeychainError) {
        let quarantine = StorePlaces(store: folder).quarantine
        try StoreFolder.makeDurable(quarantine)
        try StoreFolder.move(folder, to: "\(quarantine)/\(StorePlaces.freshName(in: quarantine, clock: .system))")
    }

    /// Replaces the file that was set aside by the folder's database, in one rename.
    func publish(to path: String) throws(KeychainError) {
        let parent = KeychainFile.folder(of: path)
        // The draft's name does not contain the file's name, which may leave no room for an addition.
        let draft = "\(parent)/.\(Hexadecimal.text(of: keychain.bytes)).new"
        try KeychainFile.remove(draft)
        try KeychainFile.link(database, as: draft)
        guard StoreFolder.repeated({ rename(draft, path) }) == 0 else {
            let error = KeychainError(system: errno, path)
            try? KeychainFile.remove(draft)
            throw error
        }
        // Where the path has the database already, rename(2) does nothing and leaves the draft.
        try KeychainFile.remove(draft)
        try StoreFolder.sync(parent)
    }
}
