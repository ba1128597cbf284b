import SystemCalls
import ChatelaineMemory
import ChatelaineModel
import Glibc
import ItemStore
import StoreEngine

/// What can be read of a keychain's file without its password.
struct UnverifiedKeychain {
    let file: KeychainFile
    let keychain: StoreIdentifier
    let header: [UInt8]
    /// Nil where there are none, or the file is damaged.
    let settings: [UInt8]?
    /// Whether some daemon has left it open, and not on this machine: its last changes may be missing.
    let mayLackChanges: Bool
    /// Whether a log of ours lies beside it.
    let checkOut: FileCheckOut?
    /// Nil where the file is damaged, and its header was remembered.
    let items: UnverifiedItems?
    /// A copy of the file in a folder of ours, which becomes the work copy or is removed; of one elsewhere alone.
    let draft: KeychainDraft?

    /// `errSecNoSuchKeychain`, `errSecInvalidKeychain`; `errSecNotAvailable` for one of a newer version.
    init(_ path: String, _ places: FileKeychainPlaces) throws(KeychainError) {
        var file = try KeychainFile(path)
        var standing = try FileCheckOut.standing(of: file, places)
        if case .replaced(let checkOut) = standing {
            try checkOut.publish(to: path)
            file = try KeychainFile(path)
            standing = try FileCheckOut.standing(of: file, places)
        }
        let database: String
        switch standing {
        case .checkedOut(let open): (checkOut, database) = (open, open.database)
        case .resting, .replaced: (checkOut, database) = (nil, path)
        case .shared:
            throw KeychainError(
                .notAvailable,
                "\(path) has a second name: another securityd has it open, here or on another machine. Lock it there, or use a copy "
                    + "of it")
        }
        let hasLog = checkOut != nil
        if let read = try Self.read(database, hasLog: hasLog) {
            (items, header, keychain) = (read.items, read.header, read.items.identifier)
            settings = read.settings
            mayLackChanges = read.isInUse && !hasLog
        } else {
            let known = try UnverifiedItems.identifier(ofDamaged: database, hasLog: hasLog)
            guard let remembered = try RememberedHeader.find(known, at: path, places) else { throw Self.invalid(path) }
            (items, header, keychain) = (nil, remembered.header, remembered.keychain)
            settings = nil
            mayLackChanges = false
        }
        self.file = file
        draft = nil
        // Of two states of the path this would be a mixture.
        guard try KeychainFile.identity(at: path) == file.identity else { throw KeychainFile.exchanged(path) }
    }

    struct Reading {
        let items: UnverifiedItems
        let header: [UInt8]
        let settings: [UInt8]?
        let isInUse: Bool
        let checkOut: CheckOutToken?

        /// Nil where there is no header.
        static func once(_ database: String, hasLog: Bool) throws(KeychainError) -> Reading? {
            let items = try UnverifiedItems(database, hasLog: hasLog)
            let properties = try items.properties()
            guard let header = properties.header else { return nil }
            return Reading(
                items: items, header: header, settings: properties.settings, isInUse: properties.isInUse,
                checkOut: properties.checkOut)
        }
    }

    /// Nil where the file is damaged. SQLite takes a disk that fails once for damage: two readings have to agree.
    static func read(_ database: String, hasLog: Bool) throws(KeychainError) -> Reading? {
        for _ in 0..<2 {
            let reading = Result { () throws(KeychainError) in try Reading.once(database, hasLog: hasLog) }
            switch reading {
            case .success(let reading): if let reading { return reading }
            case .failure(let error): if error.cause != .damage { throw error }
            }
        }
        return nil
    }

    static func invalid(_ path: String) -> KeychainError {
        KeychainError(
            cause: .damage, status: .invalidKeychain,
            "\(path) is damaged, or no keychain; nothing was changed. Put a copy of it back")
    }
}
