import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls
import TrustProtocol

/// What root has all users trust: certificates in a folder, each a file of PEM with lines before it that say for what.
///
/// The folder and its files are looked at with each question and read again where one of them is another.
final class AdminTrustSettings: Sendable {
    static let folder = "/etc/chatelaine/trust"
    private static let ending = ".pem"
    private static let switchName = "no-user-settings"

    private struct Known {
        var statuses: [String: FileStatus?] = [:]
        var settings: [TrustSetting] = []
    }

    private let folder: String
    private let reader: any TrustJudging
    private let files: FileCalls
    private let known = AdaptiveMutex<Known?>(nil)
    private let log: Log

    init(folder: String = folder, files: FileCalls = .system, reader: any TrustJudging, log: Log) {
        self.folder = folder
        self.files = files
        self.reader = reader
        self.log = log
    }

    /// Whether settings of users' own count: unless a file of root's says otherwise.
    var doUserSettingsCount: Bool {
        switch RootFile(switchAt: "\(folder)/\(Self.switchName)") {
        case .missing: return true
        case .content: return false
        case .unusable(let reason):
            log.warning("a setting of trust does not count", ["reason": reason])
            return true
        case .unreadable(let reason):
            // Root has made it, and what is in it says nothing.
            log.warning("settings of users' own do not count", ["reason": reason])
            return false
        }
    }

    /// - Throws: where the folder or a file of root's is there and cannot be read or is not understood: what it denies must not be trusted for that.
    func settings() throws(KeychainError) -> [TrustSetting] {
        let seen = try statuses()
        if let known = known.withLock({ $0 }), known.statuses == seen { return known.settings }
        var settings: [TrustSetting] = []
        for (path, status) in seen.sorted(by: { $0.key < $1.key }) where path != folder {
            if let setting = try read(path, status) { settings.append(setting) }
        }
        let read = settings
        known.withLock { $0 = Known(statuses: seen, settings: read) }
        return settings
    }

    /// Of the folder and all files in it that count.
    private func statuses() throws(KeychainError) -> [String: FileStatus?] {
        let names: [String]
        do throws(Errno) {
            let status = try files.status(at: folder, in: AT_FDCWD)
            names = try files.names(in: folder, limit: TrustLimits.maximumSettingNames + 1)
            let settings = names.filter { $0.hasSuffix(Self.ending) }
            // Any of them may deny something.
            if names.count <= TrustLimits.maximumSettingNames, settings.count <= TrustLimits.maximumSettings {
                var statuses: [String: FileStatus?] = [folder: status]
                for name in settings {
                    let path = "\(folder)/\(name)"
                    statuses[path] = try? files.status(at: path, in: AT_FDCWD)
                }
                return statuses
            }
        } catch .notFound { return [:] } catch .notFolder { return [:] } catch {
            throw unread("\(folder) cannot be read: \(error)")
        }
        throw unread(
            "\(folder) has more than \(TrustLimits.maximumSettings) files that end in \(Self.ending), or more than "
                + "\(TrustLimits.maximumSettingNames) in all: remove some")
    }

    private func unread(_ reason: String) -> KeychainError {
        log.warning("nobody knows what root denies, and nothing is trusted for that", ["reason": reason])
        return KeychainError(.invalidTrustSettings, "what root has set about trust is not known: \(reason)")
    }

    /// Nil for what does not count.
    private func read(_ path: String, _ status: FileStatus?) throws(KeychainError) -> TrustSetting? {
        if let status, status.isRegular, status.owner == 0, status.size > TrustLimits.maximumSettingFileBytes {
            throw unread("\(path) has more than \(TrustLimits.maximumSettingFileBytes) bytes")
        }
        switch RootFile(at: path, limit: TrustLimits.maximumSettingFileBytes) {
        case .missing: return nil
        case .unusable(let reason):
            log.warning("a setting of trust does not count", ["reason": reason])
            return nil
        case .unreadable(let reason): throw unread(reason)
        case .content(let file):
            let roots = try reader.roots(in: file)
            guard roots.count == 1, let root = roots.first, let constraints = TrustLine.constraints(in: file) else {
                throw unread(
                    "\(path) is not understood: it has one certificate as PEM, before it lines that begin with “Trust: ”, and besides these only lines that begin with #"
                )
            }
            return TrustSetting(
                certificate: root.certificate, subject: root.subject, summary: root.summary, constraints: constraints,
                modified: (status?.modified ?? 0) / 1_000_000_000)
        }
    }
}
