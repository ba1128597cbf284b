import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A file with keychain preferences, which is replaced as a whole (`Documentation/formats/keychain-preferences.md`).
///
/// The user's lies in the data folder, so that a backup restores the search list together with the keychains.
struct KeychainPreferencesFile: Sendable {
    static let name = "keychain-preferences"
    /// The name of a damaged file, once another has taken its place.
    static let aside = name + ".damaged"
    private static let draft = name + ".new"
    /// The permissions of the machine's file.
    static let everybodyReads: UInt32 = 0o644

    /// What the file held, and which file it was; no status where there is none.
    struct Content: Equatable, Sendable {
        let status: FileStatus?
        let bytes: [UInt8]
    }

    /// securityd's data folder, or that of the machine's keychains.
    let folder: String
    var files = FileCalls.system
    /// The user who has to own the file.
    var owner = geteuid()
    var permissions = FileCalls.ownersOnly

    var path: String { "\(folder)/\(Self.name)" }

    /// The present content of the file, which is read only if it differs from the known one.
    ///
    /// - Throws: `errSecNotAvailable` for a file that others could have written, and for anything but a regular file.
    func content(knowing known: Content?) throws(KeychainError) -> Content {
        let file: Descriptor
        do throws(Errno) {
            let folder = try files.open(folder, in: AT_FDCWD, .folderThrough)
            file = try files.open(Self.name, in: folder.number, .read)
        } catch .notFound { return Content(status: nil, bytes: []) } catch {
            throw error.code == ELOOP || error.code == ENXIO ? notOurs : failure(error, "reading")
        }
        do throws(Errno) {
            let status = try files.status(of: file.number)
            if status.isRegular && status.owner == owner && status.mode & 0o022 == 0 {
                if let known, known.status == status { return known }
                let limit = KeychainPreferences.maximumBytes + 1
                return Content(status: status, bytes: try files.contents(of: file.number, limit: limit))
            }
        } catch { throw failure(error, "reading") }
        throw notOurs
    }

    /// Replaces the file.
    ///
    /// On return the new content is on disk.
    func write(_ bytes: [UInt8]) throws(KeychainError) { try replace(Self.name, bytes) }

    /// Keeps the content of a damaged file beside it, in place of what was kept before.
    func keepAside(_ bytes: [UInt8]) throws(KeychainError) { try replace(Self.aside, bytes) }

    private func replace(_ name: String, _ bytes: [UInt8]) throws(KeychainError) {
        let open: Descriptor
        do throws(Errno) { open = try files.open(folder, in: AT_FDCWD, .folderThrough) } catch {
            throw failure(error, "writing")
        }
        do throws(FileFailure) {
            try files.replace(
                name, in: open.number, path: folder, draft: Self.draft, permissions: permissions, with: bytes)
        } catch { throw KeychainError(system: error.error.code, error.action, error.path, mayRead: true) }
    }

    private func failure(_ error: Errno, _ action: String) -> KeychainError {
        KeychainError(system: error.code, "\(action) the keychain preferences", path)
    }

    private var notOurs: KeychainError {
        KeychainError(
            .notAvailable,
            "\(path) does not count: it is no regular file of this user\u{2019}s that nobody else may write; "
                + "chmod go-w it, or move it away")
    }
}
