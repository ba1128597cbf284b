import SystemCalls
import ChatelaineModel
import Glibc
import StoreEngine

/// A keychain's file, given a second name among our own folders for as long as the keychain is open.
///
/// SQLite puts its log beside the name by which it opens a database. So the log never lies where the keychain does, and one that
/// somebody has planted there is never read. The second name is also what remembers which file a log belongs to: the same inode, or none.
struct FileCheckOut: Sendable {
    let places: FileKeychainPlaces
    let keychain: StoreIdentifier

    var folder: String { places.store(of: keychain) }
    var database: String { RowStore.database(in: folder) }

    /// What our folders say of a file that has more than one name.
    enum Standing {
        /// It is nobody's but its owner's.
        case resting
        /// It was open when a daemon ended: its log may have changes that it lacks.
        case checkedOut(FileCheckOut)
        /// It was damaged and set aside, and the one in its folder is to take its place.
        case replaced(FileCheckOut)
    }

    static func standing(of file: KeychainFile, _ places: FileKeychainPlaces) throws(KeychainError) -> Standing {
        guard file.links > 1 else { return .resting }
        let names = try StoreFolder.exists(places.stores) ? StoreFolder.names(in: places.stores) : []
        for name in names {
            guard let bytes = Hexadecimal.bytes(of: name.utf8), let keychain = StoreIdentifier(bytes) else { continue }
            let checkOut = FileCheckOut(places: places, keychain: keychain)
            if FileIdentity(at: checkOut.database) == file.identity { return .checkedOut(checkOut) }
            guard FileIdentity(at: checkOut.database) != nil else { continue }
            let quarantine = StorePlaces(store: checkOut.folder).quarantine
            for aside in try StoreFolder.exists(quarantine) ? StoreFolder.names(in: quarantine) : [] {
                if FileIdentity(at: RowStore.database(in: "\(quarantine)/\(aside)")) == file.identity {
                    return .replaced(checkOut)
                }
            }
        }
        return .resting
    }

    /// Gives the file its second name, on disk when it returns. What another file of the same keychain has left there is set aside.
    func begin(_ file: KeychainFile) throws(KeychainError) {
        if try StoreFolder.exists(folder) {
            if FileIdentity(at: database) == file.identity { return }
            try setAside()
        }
        try StoreFolder.makeDurable(folder)
        guard linkat(AT_FDCWD, file.path, AT_FDCWD, database, 0) == 0 else {
            let error = errno
            try? StoreFolder.remove(folder)
            throw KeychainError(system: error, file.path)
        }
        guard FileIdentity(at: database) == file.identity else {
            try StoreFolder.remove(folder)
            throw KeychainFile.exchanged(file.path)
        }
        try StoreFolder.sync(folder)
        try StoreFolder.sync(places.stores)
    }

    /// Takes the second name away: called once everything is in the file and nobody has it open by that name.
    func end() throws(KeychainError) {
        try StoreFolder.remove(folder)
        try StoreFolder.sync(places.stores)
    }

    /// Keeps what is in the folder, where no other keychain of that identifier meets it.
    func setAside() throws(KeychainError) {
        let quarantine = StorePlaces(store: folder).quarantine
        try StoreFolder.makeDurable(quarantine)
        try StoreFolder.move(folder, to: "\(quarantine)/\(StorePlaces.freshName(in: quarantine, clock: .system))")
    }

    /// Puts the database of the folder into the place of the file that was set aside, by one rename.
    func publish(to path: String) throws(KeychainError) {
        let parent = KeychainFile.folder(of: path)
        let draft =
            "\(parent)/.\(path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? "keychain").new"
        if unlink(draft) != 0, errno != ENOENT { throw KeychainError(system: errno, draft) }
        guard linkat(AT_FDCWD, database, AT_FDCWD, draft, 0) == 0 else { throw KeychainError(system: errno, draft) }
        guard rename(draft, path) == 0 else {
            let error = errno
            unlink(draft)
            throw KeychainError(system: error, path)
        }
        try StoreFolder.sync(parent)
    }
}
