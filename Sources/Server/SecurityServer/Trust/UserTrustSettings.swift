import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc
import SystemCalls

/// The person's settings of trust: a file beside the list of programs, which says which one it is and that the person wants it.
///
/// The file is named by its digest. A new one is on disk before the list names it, and the former goes when it does; so a crash leaves
/// what was there before, and a file that somebody writes or puts back counts for nothing.
final class UserTrustSettings: Sendable {
    private let folder: String
    private let files = FileCalls.system
    private let known = AdaptiveMutex<(digest: Bytes32, settings: [TrustSetting])?>(nil)
    /// Held from the writing of a file until the list names it: whoever tidies up meanwhile would take that for one that is left over.
    private let change = AdaptiveMutex<Void>(())

    /// Of a file: each certificate, and what stands around it.
    private static let maximumBytes = TrustLimits.maximumKnowledgeBytes
    private static let prefix = "trust-"

    init(stateFolder: String) { folder = stateFolder + "/identity" }

    /// What counts, as the list of programs says.
    ///
    /// - Throws: `errSecInvalidTrustSettings` where the file is not there or another, or the list is not the one that was signed last: what was denied must not
    ///   be trusted for that.
    func settings(in ledger: ApplicationLedger) throws(KeychainError) -> [TrustSetting] {
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
        let settings = try read(digest)
        known.withLock { $0 = (digest, settings) }
        return settings
    }

    /// Makes settings and has them count, one change at a time.
    func changing<Answer: Sendable>(
        _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        try change.withLock { (_) throws(KeychainError) in try body() }
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

    /// Removes what the list does not name.
    func removeOthers(in ledger: ApplicationLedger) {
        let kept: String?
        switch ledger.trustSettings {
        case .none: kept = nil
        case .file(let digest): kept = Self.prefix + digest.description
        // One of them may be the one that is missed.
        case .unknown: return
        }
        let names = (try? files.names(in: folder, limit: 4 * TrustLimits.maximumSettings)) ?? []
        for name in names where name.hasPrefix(Self.prefix) && name != kept { unlink("\(folder)/\(name)") }
    }

    private func read(_ digest: Bytes32) throws(KeychainError) -> [TrustSetting] {
        let path = "\(folder)/\(Self.prefix)\(digest)"
        let bytes: [UInt8]
        do throws(Errno) {
            let file = try files.open(path, in: AT_FDCWD, .read)
            bytes = try files.contents(of: file.number, limit: Self.maximumBytes + 1)
        } catch { throw Self.lost(path) }
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

    private static func lost(_ path: String) -> KeychainError {
        KeychainError(
            .invalidTrustSettings,
            "the settings of trust in \(path) are not there or were altered, and what they denied is not known: put the file back, or remove them all with `security remove-trusted-cert -a`"
        )
    }
}
