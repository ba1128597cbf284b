import ChatelaineModel
import ChatelaineSystem
import Glibc
import StoreEngine

/// The copies of a keychain that other programs read while it is open here; each is whole, and replaces the last by a
/// rename.
///
/// A reader of a copy cannot delay the writer: the open file is another one, in a folder that other programs do not
/// use.
extension FileKeychain {
    private static let copyMode: mode_t = 0o644
    /// The most replaced files that lie beside the copy; more of them are no accident.
    private static let maximumReplaced = 1000

    /// Puts a copy of the whole keychain at a path on the same file system; the copy is on disk when it returns.
    ///
    /// - Returns: the new path of a file that stood there and was no such copy; nil without such a file.
    package func publish(to published: String) throws(KeychainError) -> String? {
        let store = try store()
        return try publishing.withLock { (_) throws(KeychainError) in
            let record = PublishedRecord(of: path)
            let draft = Self.draft(store.identifier, beside: path)
            for leftover in [draft, draft + "-journal"] { try KeychainFile.remove(leftover) }
            var replaced: String?
            do throws(KeychainError) {
                let file = try Self.make(draft)
                try store.copy(to: draft)
                var status = stat()
                guard StoreFolder.repeated({ fchmod(file.number, Self.copyMode) }) == 0,
                    StoreFolder.repeated({ fsync(file.number) }) == 0, fstat(file.number, &status) == 0
                else { throw KeychainError(system: errno, published) }
                let former = try KeychainFile.status(of: published)
                let isForeign = if let former { try !record.holds(former) } else { false }
                try record.note(status, besides: isForeign ? nil : former)
                if isForeign, let former { replaced = try Self.setAside(published, FileIdentity(former)) }
                guard StoreFolder.repeated({ rename(draft, published) }) == 0 else {
                    throw KeychainError(system: errno, published)
                }
            } catch {
                try? KeychainFile.remove(draft)
                // No program reads a file with two names.
                if let replaced, FileIdentity(at: replaced) == FileIdentity(at: published) {
                    try? KeychainFile.remove(replaced)
                }
                throw error
            }
            try StoreFolder.sync(KeychainFile.folder(of: published))
            return replaced
        }
    }

    /// Gives a file that is no copy of this keychain another name, on disk when it returns.
    ///
    /// It keeps its own name until a copy takes that, so that a publication that fails leaves readers what they had. It
    /// has the other name already where an earlier publication was interrupted. What cannot have two names, as a
    /// folder, is renamed.
    private static func setAside(_ published: String, _ identity: FileIdentity) throws(KeychainError) -> String {
        let ending = ".keychain-db"
        let stem = published.hasSuffix(ending) ? String(published.dropLast(ending.count)) : published
        for number in 1...maximumReplaced {
            let name = "\(stem)_replaced_\(number)\(ending)"
            if let present = try KeychainFile.identity(at: name) {
                guard present == identity else { continue }
                return name
            }
            let isLinked = StoreFolder.repeated { linkat(AT_FDCWD, published, AT_FDCWD, name, 0) } == 0
            guard isLinked || errno == EPERM && StoreFolder.repeated({ rename(published, name) }) == 0 else {
                throw KeychainError(system: errno, published)
            }
            do throws(KeychainError) { try StoreFolder.sync(KeychainFile.folder(of: published)) } catch {
                if isLinked { try? KeychainFile.remove(name) }
                throw error
            }
            return name
        }
        throw KeychainError(
            .notAvailable,
            "\(maximumReplaced) files lie beside \(published) that stood there; delete some of them first")
    }

    /// Makes a published copy the keychain itself, where that is missing; on disk when it returns.
    ///
    /// The copy stays. The draft's name is always the same, so that a daemon that ended here leaves no file and no
    /// second name of the keychain for long.
    ///
    /// - Returns: whether the keychain or a copy exists.
    package static func restore(_ path: String, from published: String) throws(KeychainError) -> Bool {
        let draft = path + ".restored"
        let present = try KeychainFile.identity(at: path)
        if let left = try KeychainFile.identity(at: draft), present == nil || present == left {
            try KeychainFile.remove(draft)
            try StoreFolder.sync(KeychainFile.folder(of: path))
        }
        guard present == nil else { return true }
        guard try KeychainFile.status(of: published) != nil else { return false }
        let found = try KeychainFile(published)
        let number = StoreFolder.repeated { Glibc.open(published, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard number >= 0 else { throw KeychainError(system: errno, published) }
        let file = Descriptor(number)
        guard try KeychainFile.identity(at: published) == found.identity else {
            throw KeychainFile.exchanged(published)
        }
        do throws(KeychainError) {
            var status = stat()
            guard fstat(file.number, &status) == 0 else { throw KeychainError(system: errno, published) }
            try PublishedRecord(of: path).note(status, besides: nil)
            try LentContent(file: file.number, path: published).copy(to: draft)
            try KeychainFile.link(draft, as: path)
            try KeychainFile.remove(draft)
        } catch {
            try? KeychainFile.remove(draft)
            throw error
        }
        try StoreFolder.sync(KeychainFile.folder(of: path))
        return true
    }

    /// The draft's path; its name does not contain the file's name, which may leave no room for an addition.
    private static func draft(_ keychain: StoreIdentifier, beside path: String) -> String {
        "\(KeychainFile.folder(of: path))/.\(Hexadecimal.text(of: keychain.bytes)).copy"
    }

    private static func make(_ path: String) throws(KeychainError) -> Descriptor {
        let number = StoreFolder.repeated {
            Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard number >= 0 else { throw KeychainError(system: errno, path) }
        return Descriptor(number)
    }
}
