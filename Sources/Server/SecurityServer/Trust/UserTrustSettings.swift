import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc

/// The person's settings of trust: a file beside the list of programs, which says which one it is and that the person wants it.
///
/// The file is named by its digest. A new one is on disk before the list names it, and the former goes when it does; so a crash leaves
/// what was there before, and a file that somebody writes or puts back counts for nothing.
package final class UserTrustSettings: Sendable {
    private let folder: String
    private let files: FileCalls
    private let known = AdaptiveMutex<(digest: Bytes32, settings: [TrustSetting])?>(nil)
    /// Held from the writing of a file until the list names it: whoever tidies up meanwhile would take that for one that is left over.
    private let changing = AdaptiveMutex<Void>(())

    /// Of a file: each certificate, and what stands around it.
    private static let maximumBytes = TrustLimits.maximumKnowledgeBytes
    private static let prefix = "trust-"
    /// Of opening or reading it, where nothing stands in its place or something that is no file. Any other error says nothing of what is there.
    private static let absences: Set<Int32> = [ENOENT, ELOOP, EISDIR, ENXIO]

    package init(stateFolder: String, files: FileCalls = .system) {
        folder = stateFolder + "/identity"
        self.files = files
    }

    /// What counts, as the list of programs says.
    ///
    /// - Throws: `errSecInvalidTrustSettings` where the file is not there or another, or the list is not the one that was signed last: what was denied must not
    ///   be trusted for that. Where the file cannot be read just now, nothing is lost, and the error says so.
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
            // Others may have taken its place since the list was asked, and its file be gone for that.
            guard !ledger.isRetired else { throw Self.outdated }
            guard ledger.trustSettings != .file(digest) else { throw error }
            return try self.settings(in: ledger)
        }
        known.withLock { $0 = (digest, settings) }
        return settings
    }

    /// Puts other settings on disk and has the list name them, one change at a time.
    ///
    /// - Parameters:
    ///   - ledger: the list that says what counts now.
    ///   - next: what there is to be.
    ///   - decide: has the list in use name the file, and says whether it does. Where it does not, all stays as it was.
    /// - Returns: with the answer what counts now; nil where it was not decided.
    package func change<Answer: Sendable>(
        in ledger: ApplicationLedger, to next: () throws(KeychainError) -> [TrustSetting],
        _ decide: (ApplicationLedger.Decision) throws(KeychainError) -> (answer: Answer, isDecided: Bool)
    ) throws(KeychainError) -> (answer: Answer, settings: [TrustSetting]?) {
        try changing.withLock { (_) throws(KeychainError) in
            // Others may have been set in the list that took its place.
            guard !ledger.isRetired else { throw Self.outdated }
            let settings = try next()
            let (answer, isDecided) = try decide(.setTrust(try write(settings)))
            removeOthers(in: ledger)
            return (answer, isDecided ? settings : nil)
        }
    }

    /// Puts other settings on disk; the list has to name them by what comes back. None at all need no file.
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

    /// Removes what the list does not name. What is left lying counts for nothing, and goes with the next change.
    private func removeOthers(in ledger: ApplicationLedger) {
        // Its file may name one of them.
        guard ledger.isSettled else { return }
        let kept: String?
        switch ledger.trustSettings {
        case .none: kept = nil
        case .file(let digest): kept = Self.prefix + digest.description
        // One of them may be the one that is missed.
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
