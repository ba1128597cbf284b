import ChatelaineModel
import ItemStore
import StoreEngine

/// A keychain outside of the daemon's folder: a search reads its file by path, and a check-out reads the lent file.
extension UnverifiedKeychain {
    /// Reads the keychain.
    ///
    /// - Parameter lent: the file, where the keychain is to be checked out; it is then copied into ``draft``.
    init(elsewhere path: String, _ places: FileKeychainPlaces, lent: LentFile?) throws(KeychainError) {
        file = try KeychainFile(elsewhere: path, places, lent)
        let draft = try lent.map { _ throws(KeychainError) in try KeychainDraft(places) }
        do throws(KeychainError) {
            let torn: CheckOutToken?
            if let lent, let draft {
                torn = try lent.withContent { (content) throws(KeychainError) in
                    try content.copy(to: draft.database)
                    return try content.torn()
                }
            } else {
                torn = try LentContent.torn(at: path)
            }
            let isReadable = torn == nil || draft != nil
            let read = isReadable ? try Self.read(draft?.database ?? path, hasLog: false) : nil
            let checkOut = try Self.leftOpen(file, torn, read, places)
            if let checkOut, try KeychainFile.identity(at: checkOut.database) != nil {
                try draft?.remove()
                self.draft = nil
                self.checkOut = checkOut
                let here = try Self.read(checkOut.database, hasLog: true)
                (keychain, items, settings) = (checkOut.keychain, here?.items, here?.settings)
                let remembered = try RememberedHeader.read(of: checkOut.keychain, places)?.header
                guard let header = here?.header ?? remembered else { throw Self.invalid(path) }
                self.header = try RememberedHeader.sound(header, of: checkOut.keychain, at: path, places)
                mayLackChanges = false
            } else {
                self.draft = draft
                self.checkOut = nil
                if let read {
                    (items, keychain) = (read.items, read.items.identifier)
                    header = try RememberedHeader.sound(read.header, of: keychain, at: path, places)
                    settings = read.settings
                    mayLackChanges = read.isInUse || torn != nil
                } else {
                    guard let database = draft?.database else { throw Self.invalid(path) }
                    let known = try UnverifiedItems.identifier(ofDamaged: database, hasLog: false)
                    guard let remembered = try RememberedHeader.find(known, at: path, places) else {
                        throw Self.invalid(path)
                    }
                    (items, header, keychain) = (nil, remembered.header, remembered.keychain)
                    settings = nil
                    mayLackChanges = torn != nil
                }
            }
            if lent == nil, try places.look(path) != file.identity { throw KeychainFile.exchanged(path) }
        } catch {
            try? draft?.remove()
            throw error
        }
    }

    /// The check-out of the file that an earlier daemon left, or that could not be completed.
    ///
    /// A file that was changed elsewhere since has no check-out.
    private static func leftOpen(
        _ file: KeychainFile, _ torn: CheckOutToken?, _ read: Reading?, _ places: FileKeychainPlaces
    ) throws(KeychainError) -> FileCheckOut? {
        var failures: [StoreIdentifier: KeychainError] = [:]
        for record in try LentRecord.all(places) where record.replaced != nil {
            // Another keychain's is none of this one's concern.
            do throws(KeychainError) {
                try FileCheckOut(places: places, keychain: record.keychain).undoReplacement()
            } catch { failures[record.keychain] = error }
        }
        let record = try LentRecord.all(places).first { record in
            let isItsOwn =
                if let torn {
                    record.token == torn
                } else if let read {
                    record.keychain == read.items.identifier && record.token == read.checkOut
                } else {
                    record.isAnnounced && record.file == file.identity
                }
            return isItsOwn && record.isAbout(file, places)
        }
        if let record, let failure = failures[record.keychain] { throw failure }
        return record.map { FileCheckOut(places: places, keychain: $0.keychain) }
    }
}

extension KeychainFile {
    /// Checks the file of a keychain outside of the daemon's folder.
    ///
    /// - Throws: besides, `errSecNoSuchKeychain` where securityd sees no file at the path, as for a program with other
    ///   mounts.
    init(elsewhere path: String, _ places: FileKeychainPlaces, _ lent: LentFile?) throws(KeychainError) {
        guard let seen = try places.look(path) else { throw Self.missing(path) }
        if let lent {
            guard lent.identity == seen else { throw Self.exchanged(path) }
            try self.init(lent)
        } else {
            try self.init(path, mayBeRoots: true)
            guard links == 1 else {
                throw KeychainError(.invalidKeychain, "\(path) has more than one name; use a copy of it")
            }
        }
    }
}
