import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import StoreEngine
import SystemCalls

/// The readable parts of a keychain's file without its password.
struct UnverifiedKeychain {
    let file: KeychainFile
    let keychain: StoreIdentifier
    let header: [UInt8]
    /// The settings; nil where the file has none or is damaged.
    let settings: [UInt8]?
    /// Whether a daemon left the file open, on another machine: its last changes may be missing.
    let mayLackChanges: Bool
    /// The check-out that this machine left, with its log; nil for a file at rest.
    let checkOut: FileCheckOut?
    /// The items; nil for a damaged file, whose header was remembered.
    let items: UnverifiedItems?
    /// A copy of a file elsewhere, in a folder of the daemon, which becomes the work copy or is removed; else nil.
    let draft: KeychainDraft?

    /// Reads the file in the daemon's folder.
    ///
    /// - Throws: `errSecNoSuchKeychain`, `errSecInvalidKeychain`; `errSecNotAvailable` for a file of a newer version.
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
            (items, keychain) = (read.items, read.items.identifier)
            header = try RememberedHeader.sound(read.header, of: keychain, at: path, places)
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
        // The path has another file now: the values would mix two states.
        guard try KeychainFile.identity(at: path) == file.identity else { throw KeychainFile.exchanged(path) }
    }

    struct Reading {
        let items: UnverifiedItems
        let header: [UInt8]
        let settings: [UInt8]?
        let isInUse: Bool
        let checkOut: CheckOutToken?

        /// Reads the file once; nil without a header.
        static func once(_ database: String, hasLog: Bool) throws(KeychainError) -> Reading? {
            let items = try UnverifiedItems(database, hasLog: hasLog)
            let properties = try items.properties()
            guard let header = properties.header else { return nil }
            return Reading(
                items: items, header: header, settings: properties.settings, isInUse: properties.isInUse,
                checkOut: properties.checkOut)
        }
    }

    /// Reads the file; nil for a damaged one.
    ///
    /// SQLite reports a disk's single failure as damage, so that two readings decide.
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
