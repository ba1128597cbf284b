import ChatelaineSystem
import SystemCalls
import ChatelaineModel
import Glibc
import ItemStore
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
        /// Somebody else has given it another name.
        case shared
    }

    static func standing(of file: KeychainFile, _ places: FileKeychainPlaces) throws(KeychainError) -> Standing {
        guard file.links > 1 else { return .resting }
        let names = try StoreFolder.exists(places.stores) ? StoreFolder.names(in: places.stores) : []
        for name in names {
            // The end of a daemon came between a keychain's name and the removal of what it was made in.
            if try KeychainDraft.isDraft(name, of: file, places) { return .resting }
            guard let bytes = Hexadecimal.bytes(of: name.utf8), let keychain = StoreIdentifier(bytes) else { continue }
            let checkOut = FileCheckOut(places: places, keychain: keychain)
            if try KeychainFile.identity(at: checkOut.database) == file.identity { return .checkedOut(checkOut) }
            if try checkOut.hasReplaced(file) { return .replaced(checkOut) }
        }
        return try wasBeingReplaced(file, names, places) ?? .shared
    }

    /// The check-out of a file that was on its way to the quarantine when a daemon ended: whatever was to take its place came too late, and the folder goes back.
    ///
    /// Somebody else may be about to find that out, and nobody moves what is being replaced just now.
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

    /// Whether a recovery has set the file aside and begun the database that is in the folder now. The name alone is no proof: that stands
    /// for other things that were set aside as well.
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

    /// Gives the file its second name, on disk when it returns. What another file of the same keychain has left there is set aside.
    func begin(_ file: KeychainFile) throws(KeychainError) {
        if try StoreFolder.exists(folder) {
            if let status = try KeychainFile.status(of: database) {
                if FileIdentity(status) == file.identity { return }
                // It may have changes that the other file lacks.
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
        // Not by the file's name, which may have no room left.
        let draft = "\(parent)/.\(Hexadecimal.text(of: keychain.bytes)).new"
        try KeychainFile.remove(draft)
        try KeychainFile.link(database, as: draft)
        guard StoreFolder.repeated({ rename(draft, path) }) == 0 else {
            let error = KeychainError(system: errno, path)
            try? KeychainFile.remove(draft)
            throw error
        }
        try StoreFolder.sync(parent)
    }
}
