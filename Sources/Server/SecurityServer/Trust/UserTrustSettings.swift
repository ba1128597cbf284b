import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc

/// The person's trust settings: a file beside the list of programs.
///
/// The list names the file, and so says that the person wants it.
///
/// The name of the file is its digest. A new file is on disk before the list names it, and the former one is removed
/// afterwards. So a crash leaves the former settings, and a file that somebody writes or puts back does not count.
package final class UserTrustSettings: Sendable {
    private let folder: String
    private let files: FileCalls
    private let known = AdaptiveMutex<(digest: Bytes32, settings: [TrustSetting])?>(nil)
    /// Held from the writing of a file until the list names it.
    ///
    /// A concurrent cleanup would take the file for a leftover.
    private let changing = AdaptiveMutex<Void>(())

    /// The size limit of a file: the certificates, and the data around them.
    private static let maximumBytes = TrustLimits.maximumKnowledgeBytes
    private static let prefix = "trust-"
    /// The errors that mean that no file stands at the path.
    ///
    /// Any other error says nothing about the file.
    private static let absences: Set<Int32> = [ENOENT, ELOOP, EISDIR, ENXIO]

    package init(stateFolder: String, files: FileCalls = .system) {
        folder = stateFolder + "/identity"
        self.files = files
    }

    /// The settings that count according to the list of programs.
    ///
    /// - Throws: `errSecInvalidTrustSettings` where the file is missing or differs, or where the list is not the one
    ///   that was signed last. What was denied must not be trusted then. Where the file cannot be read just now,
    ///   nothing is lost, and the error says so.
    package func settings(in ledger: ApplicationLedger) throws(KeychainError) -> [TrustSetting] {
        let digest: Bytes32
        switch ledger.trustSettings {
        case .none: return []
        case .file(let known): digest = known
        case .unknown:
            throw KeychainError(
                .invalidTrustSettings,
                "the list of programs in \(folder) is not the one that was signed last, and what you have denied is not known: put that list back, or remove all settings of trust with `security remove-trusted-cert -a`"
            )
        }
        if let known = known.withLock({ $0 }), known.digest == digest { return known.settings }
        let settings: [TrustSetting]
        do throws(KeychainError) { settings = try read(digest) } catch {
            // Other settings may have replaced it since the list was read, and its file may be gone for that reason.
            guard !ledger.isRetired else { throw Self.outdated }
            guard ledger.trustSettings != .file(digest) else { throw error }
            return try self.settings(in: ledger)
        }
        known.withLock { $0 = (digest, settings) }
        return settings
    }

    /// Writes other settings to disk and has the list name them, one change at a time.
    ///
    /// - Parameters:
    ///   - ledger: the list that says what counts now.
    ///   - next: returns the new settings.
    ///   - decide: has the list in use name the file, and says whether it does. If not, nothing changes.
    /// - Returns: the answer, and the settings that count now; nil where it was not decided.
    package func change<Answer: Sendable>(
        in ledger: ApplicationLedger, to next: () throws(KeychainError) -> [TrustSetting],
        _ decide: (ApplicationLedger.Decision) throws(KeychainError) -> (answer: Answer, isDecided: Bool)
    ) throws(KeychainError) -> (answer: Answer, settings: [TrustSetting]?) {
        try changing.withLock { (_) throws(KeychainError) in
            // The list that replaced this one may have other settings.
            guard !ledger.isRetired else { throw Self.outdated }
            let settings = try next()
            let (answer, isDecided) = try decide(.setTrust(try write(settings)))
            removeOthers(in: ledger)
            return (answer, isDecided ? settings : nil)
        }
    }

    /// Writes settings to disk, and returns the digest by which the list has to name them.
    ///
    /// Empty settings need no file.
    func write(_ settings: [TrustSetting]) throws(KeychainError) -> Bytes32? {
        guard !settings.isEmpty else { return nil }
        guard settings.count <= TrustLimits.maximumSettings else {
            throw KeychainError(
                .notAvailable, "there are settings for \(TrustLimits.maximumSettings) certificates already: remove some"
            )
        }
        var writer = CBORWriter(capacity: 4096)
        writer.writeArray(count: settings.count)
        for setting in settings { setting.encode(to: &writer) }
        let bytes = writer.finishArray()
        guard bytes.count <= Self.maximumBytes, let digest = Self.digest(of: bytes) else {
            throw KeychainError(
                .notAvailable, "the settings of trust are larger than \(Self.maximumBytes) bytes: remove some")
        }
        let name = Self.prefix + digest.description
        do throws(Errno) {
            let directory = try files.open(folder, in: AT_FDCWD, .readThrough)
            do throws(FileFailure) {
                try files.replace(name, in: directory.number, path: folder, draft: name + ".new", with: bytes)
            } catch { throw error.error }
        } catch { throw KeychainError(system: error.code, "writing the settings of trust", folder) }
        return digest
    }

    /// Removes the files that the list does not name.
    ///
    /// A leftover file does not count, and goes with the next change.
    private func removeOthers(in ledger: ApplicationLedger) {
        // The file of an unsettled list may name one of these files.
        guard ledger.isSettled else { return }
        let kept: String?
        switch ledger.trustSettings {
        case .none: kept = nil
        case .file(let digest): kept = Self.prefix + digest.description
        // One of these files may be the missing one.
        case .unknown: return
        }
        guard let names = try? files.names(in: folder, limit: 4 * TrustLimits.maximumSettings),
            let directory = try? files.open(folder, in: AT_FDCWD, .readThrough)
        else { return }
        for name in names where name.hasPrefix(Self.prefix) && name != kept {
            try? files.unlink(name, in: directory.number)
        }
    }

    private func read(_ digest: Bytes32) throws(KeychainError) -> [TrustSetting] {
        let path = "\(folder)/\(Self.prefix)\(digest)"
        let bytes: [UInt8]
        do throws(Errno) {
            let file = try files.open(path, in: AT_FDCWD, .read)
            bytes = try files.contents(of: file.number, limit: Self.maximumBytes + 1)
        } catch {
            if Self.absences.contains(error.code) { throw Self.lost(path) }
            throw KeychainError(system: error.code, "reading the settings of trust", path)
        }
        guard Self.digest(of: bytes) == digest else { throw Self.lost(path) }
        let settings = bytes.withUnsafeBytes { buffer in
            Result { () throws(CBORError) -> [TrustSetting] in
                var reader = CBORReader(buffer)
                var settings: [TrustSetting] = []
                for _ in 0..<(try reader.readArrayCount(limit: TrustLimits.maximumSettings)) {
                    settings.append(try TrustSetting(from: &reader))
                }
                try reader.finish()
                return settings
            }
        }
        do throws(CBORError) { return try settings.get() } catch { throw Self.lost(path) }
    }

    private static func digest(of bytes: [UInt8]) -> Bytes32? { Bytes32(Array(SHA256.hash(data: bytes))) }

    private static var outdated: KeychainError {
        KeychainError(.notAvailable, "the list of programs was opened anew meanwhile; try again")
    }

    private static func lost(_ path: String) -> KeychainError {
        KeychainError(
            .invalidTrustSettings,
            "the settings of trust in \(path) are not there or were altered, and what they denied is not known: put the file back, or remove them all with `security remove-trusted-cert -a`"
        )
    }
}
