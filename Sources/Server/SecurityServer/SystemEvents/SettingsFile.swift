import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The settings of the user, in a small file that is replaced as a whole (`Documentation/formats/settings.md`).
///
/// The file is not encrypted, and any program of the user may change it: settings keep people away, not programs.
final class SettingsFile: Sendable {
    static let name = "settings"
    static let version: UInt64 = 1
    /// The size limit, which is many times the usual size.
    private static let longest = 4096

    private enum Field: UInt64, CBORField {
        case version = 0
        case settings = 1
    }

    private let folder: String
    private let files: FileCalls
    private let writing = AdaptiveMutex(())

    /// Names the file; nothing is read yet.
    ///
    /// - Parameter folder: securityd's state folder.
    init(folder: String, files: FileCalls = .system) {
        self.folder = folder
        self.files = files
    }

    private var path: String { "\(folder)/\(Self.name)" }

    /// The settings; the defaults where there is no file.
    ///
    /// - Throws: `errSecNotAvailable` for a file that cannot be read, is damaged, or is of a later version.
    func read() throws(KeychainError) -> DeviceSettings {
        guard let bytes = try contents() else { return DeviceSettings() }
        do throws(CBORError) {
            if let settings = try Self.decoded(bytes) { return settings }
        } catch {
            throw KeychainError(cause: .damage, "\(path) is damaged; “security settings --idle-lock” writes it anew")
        }
        throw KeychainError(cause: .newerFormat, "\(path) was written by a later version of Chatelaine")
    }

    /// Replaces the settings.
    ///
    /// On return they are on disk. A damaged file is replaced, and a file of a later version is not.
    func write(_ settings: DeviceSettings) throws(KeychainError) {
        var writer = CBORWriter()
        writer.writeMap {
            $0.write(Field.version, Self.version)
            $0.write(Field.settings, settings)
        }
        let bytes = writer.finishArray()
        let failure: KeychainError? = writing.withLock { _ in
            do throws(KeychainError) {
                do throws(KeychainError) { _ = try read() } catch { guard error.cause == .damage else { throw error } }
                try replace(bytes)
                return nil
            } catch { return error }
        }
        if let failure { throw failure }
    }

    private func contents() throws(KeychainError) -> [UInt8]? {
        do throws(Errno) {
            let folder = try files.open(folder, in: AT_FDCWD, .folderThrough)
            let bytes = try files.contents(of: Self.name, in: folder.number, limit: Self.longest + 1)
            guard bytes.count <= Self.longest else { return [] }
            return bytes
        } catch .notFound { return nil } catch { throw KeychainError(system: error.code, path) }
    }

    private func replace(_ bytes: [UInt8]) throws(KeychainError) {
        do throws(Errno) {
            let folder = try files.open(folder, in: AT_FDCWD, .folderThrough)
            do throws(FileFailure) {
                try files.replace(
                    Self.name, in: folder.number, path: self.folder, draft: Self.name + ".new", with: bytes)
            } catch { throw error.error }
        } catch { throw KeychainError(system: error.code, path) }
    }

    /// The settings in a file; nil for a later version.
    private static func decoded(_ bytes: [UInt8]) throws(CBORError) -> DeviceSettings? {
        try bytes.withUnsafeBufferPointer { bytes throws(CBORError) in
            var map = try CBORMap(CBORReader(UnsafeRawBufferPointer(bytes)))
            let found: UInt64 = try map.read(Field.version)
            guard found <= version else { return nil }
            let settings: DeviceSettings = try map.read(Field.settings)
            try map.end().finish()
            return settings
        }
    }
}
