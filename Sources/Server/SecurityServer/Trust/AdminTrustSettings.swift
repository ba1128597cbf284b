import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls
import TrustProtocol

/// Root's trust settings for all users: a folder of PEM files, each with a certificate and lines before it that say for
/// what.
///
/// The folder and its files are checked with each question, and read again where one of them differs.
final class AdminTrustSettings: Sendable {
    static let folder = "/etc/chatelaine/trust"
    private static let ending = ".pem"
    private static let switchName = "no-user-settings"

    private struct Known {
        var statuses: [String: FileStatus?] = [:]
        /// The settings, or why they are unknown.
        var settings: Result<[TrustSetting], KeychainError>
    }

    /// The result of reading one file.
    private enum Reading {
        case settings([TrustSetting])
        case notUnderstood(String)
    }

    private let folder: String
    private let reader: any TrustJudging
    private let files: FileCalls
    private let known = AdaptiveMutex<Known?>(nil)
    /// Why the settings are unknown, as logged last, so that each reason is logged once.
    private let told = AdaptiveMutex<String?>(nil)
    private let file: @Sendable (String) -> RootFile
    private let switchFile: @Sendable (String) -> RootFile
    private let log: Log

    init(
        folder: String = folder, files: FileCalls = .system, reader: any TrustJudging, log: Log,
        file: @escaping @Sendable (String) -> RootFile = {
            RootFile(at: $0, limit: TrustLimits.maximumSettingFileBytes)
        },
        switchFile: @escaping @Sendable (String) -> RootFile = { RootFile(switchAt: $0) }
    ) {
        self.folder = folder
        (self.file, self.switchFile) = (file, switchFile)
        self.files = files
        self.reader = reader
        self.log = log
    }

    /// Whether the users' own settings count.
    ///
    /// They do unless a file of root's forbids it.
    ///
    /// - Throws: where nobody knows whether there is such a file. What the user denies must not be trusted for that
    ///   reason.
    func doUserSettingsCount() throws(KeychainError) -> Bool {
        switch switchFile("\(folder)/\(Self.switchName)") {
        case .missing: return true
        case .content: return false
        case .unusable(let reason):
            log.warning("a setting of trust does not count", ["reason": reason])
            return true
        case .unreadable(let reason): throw unread(reason)
        }
    }

    /// The settings of all files.
    ///
    /// The certificates of a file that is not understood are denied.
    ///
    /// - Throws: where the folder or a file of root's exists and cannot be read, or has nothing that is understood.
    ///   What it may deny must not be trusted for that reason.
    func settings() throws(KeychainError) -> [TrustSetting] {
        let seen = try statuses()
        if let known = known.withLock({ $0 }), known.statuses == seen, !seen.values.contains(nil) {
            return try known.settings.get()
        }
        var settings: [TrustSetting] = []
        var failure: KeychainError?
        for (path, status) in seen.sorted(by: { $0.key < $1.key }) where path != folder {
            switch try read(path, status) {
            case .settings(let found): settings += found
            case .notUnderstood(let reason): failure = failure ?? unread(reason)
            }
        }
        // A file that is not understood is read again once it changes. One that could not be read is tried with each
        // question.
        let result: Result<[TrustSetting], KeychainError> = failure.map { .failure($0) } ?? .success(settings)
        known.withLock { $0 = Known(statuses: seen, settings: result) }
        if failure == nil { told.withLock { $0 = nil } }
        return try result.get()
    }

    /// The statuses of the folder and of all files in it that count; nil for a file whose status is not known.
    private func statuses() throws(KeychainError) -> [String: FileStatus?] {
        var statuses: [String: FileStatus?] = [:]
        let names: [String]
        do throws(Errno) {
            statuses[folder] = try files.status(at: folder, in: AT_FDCWD)
            names = try files.names(in: folder, limit: TrustLimits.maximumSettingNames + 1)
        } catch .notFound { return [:] } catch .notFolder { return [:] } catch {
            throw unread("\(folder) cannot be read: \(error)")
        }
        let settings = names.filter { $0.hasSuffix(Self.ending) }
        // All of them have to be read, since any may deny something.
        guard names.count <= TrustLimits.maximumSettingNames, settings.count <= TrustLimits.maximumSettings else {
            throw unread(
                "\(folder) has more than \(TrustLimits.maximumSettings) files that end in \(Self.ending), or more than "
                    + "\(TrustLimits.maximumSettingNames) in all: remove some")
        }
        for name in settings {
            let path = "\(folder)/\(name)"
            let status = try? files.status(at: path, in: AT_FDCWD)
            // Such a path leads to no file, though there is one that may deny something.
            if status == nil, name.contains("\u{FFFD}") {
                throw unread("the name of a file in \(folder) is not UTF-8: \(name); rename it")
            }
            // An assignment of nil would take the file out, and with it what it denies.
            statuses.updateValue(status, forKey: path)
        }
        return statuses
    }

    private func unread(_ reason: String) -> KeychainError {
        if told.withLock({ (told: inout String?) -> Bool in
            defer { told = reason }
            return told != reason
        }) {
            log.warning("nobody knows what root denies, and nothing is trusted for that", ["reason": reason])
        }
        return KeychainError(.invalidTrustSettings, "what root has set about trust is not known: \(reason)")
    }

    /// Reads one file.
    ///
    /// A file that does not count gives no settings.
    private func read(_ path: String, _ status: FileStatus?) throws(KeychainError) -> Reading {
        if let status, status.isRegular, status.owner == 0, status.size > TrustLimits.maximumSettingFileBytes {
            return .notUnderstood("\(path) has more than \(TrustLimits.maximumSettingFileBytes) bytes")
        }
        switch file(path) {
        case .missing: return .settings([])
        case .unusable(let reason):
            log.warning("a setting of trust does not count", ["reason": reason])
            return .settings([])
        case .unreadable(let reason): throw unread(reason)
        case .content(let content):
            let roots = try reader.roots(in: content)
            guard !roots.isEmpty else {
                return .notUnderstood("\(path) has no certificate that can be read; mend it or move it away")
            }
            var constraints = [TrustConstraint(.deny)]
            if roots.count == 1, let understood = TrustLine.constraints(in: content) {
                constraints = understood
            } else {
                log.warning(
                    "a file of root's is not understood, and the certificates in it are denied",
                    [
                        "path": path,
                        "reason":
                            "it has one certificate, and before it lines that begin with “Trust: ”, each with a constraint",
                    ])
            }
            return .settings(
                roots.map { root in
                    TrustSetting(
                        certificate: root.certificate, subject: root.subject, summary: root.summary,
                        constraints: constraints, modified: (status?.modified ?? 0) / 1_000_000_000)
                })
        }
    }
}
