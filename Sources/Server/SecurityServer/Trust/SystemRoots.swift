import CChatelaine
import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls
import TrustProtocol

/// The certificates that the distribution trusts, from its one file.
///
/// The file counts only if nobody but root can have written it.
///
/// The file is checked with each question, and read again where it differs. trustd parses it, and returns the subject
/// of each certificate.
final class SystemRoots: Sendable {
    /// The roots that were read, and the status of the file then.
    private struct Known {
        var status: FileStatus?
        var index = RootIndex([])
        /// Why files do not count, as logged last, so that each reason is logged once.
        var told: [String: String] = [:]
    }

    private let places: [String]
    private let reader: any TrustJudging
    private let files = FileCalls.system
    private let known = AdaptiveMutex(Known())
    private let file: @Sendable (String) -> RootFile
    private let log: Log

    init(
        places: [String] = DistributionRoots.places, reader: any TrustJudging, log: Log,
        file: @escaping @Sendable (String) -> RootFile = { RootFile(at: $0, limit: TrustLimits.maximumBundleBytes) }
    ) {
        self.places = places
        self.file = file
        self.reader = reader
        self.log = log
    }

    /// The roots that count now; none where there is no such file, or where others than root could have written it.
    ///
    /// - Throws: where the file cannot be read now and never was. A leftover file at another path may have roots that
    ///   the distribution has withdrawn.
    func index() throws(KeychainError) -> RootIndex {
        for path in places {
            let status: FileStatus
            do throws(Errno) { status = try files.status(at: path, in: AT_FDCWD) } catch .notFound {
                continue
            } catch .notFolder { continue } catch { return try last(path, "\(path) cannot be read: \(error)") }
            if let index = known.withLock({ $0.status == status ? $0.index : nil }) { return index }
            switch file(path) {
            case .missing: continue
            case .unusable(let reason):
                tell(path, reason)
                guard isBehindLink(path) else { return RootIndex([]) }
            case .unreadable(let reason): return try last(path, reason)
            case .content(let content):
                let index = RootIndex(try reader.roots(in: content))
                // The status is from before the file was read, so a later change leads to another read.
                known.withLock { ($0.status, $0.index) = (status, index) }
                tellWhatIsLeftOut(of: content, index, path)
                return index
            }
        }
        tell("", "no file of the distribution has any: install the package ca-certificates")
        return RootIndex([])
    }

    /// The roots that counted before.
    private func last(_ path: String, _ reason: String) throws(KeychainError) -> RootIndex {
        tell(path, reason)
        if let index = known.withLock({ $0.status == nil ? nil : $0.index }) { return index }
        throw KeychainError(.notAvailable, "the distribution's certificates are not known: \(reason)")
    }

    /// Whether the path leads through a link.
    private func isBehindLink(_ path: String) -> Bool {
        guard let real = try? RealPath.of(path) else { return false }
        return real != path
    }

    private func tell(_ path: String, _ reason: String) {
        guard known.withLock({ $0.told.updateValue(reason, forKey: path) }) != reason else { return }
        log.warning("a file of the distribution's certificates does not count", ["reason": reason])
    }

    /// Logs how many certificates were left out, because they are unreadable or occur twice.
    private func tellWhatIsLeftOut(of file: [UInt8], _ index: RootIndex, _ path: String) {
        let blocks = file.split(separator: UInt8(ascii: "\n")).count { $0.starts(with: Self.start) }
        guard blocks != index.roots.count else { return }
        log.notice(
            "some of the distribution's certificates are left out",
            ["path": path, "blocks": "\(blocks)", "certificates": "\(index.roots.count)"])
    }

    private static let start = Array("-----BEGIN ".utf8)
}

extension [UInt8] {
    func contains(bytes: [UInt8]) -> Bool {
        withUnsafeBytes { all in
            bytes.withUnsafeBytes { part in
                guard let all = all.baseAddress, let part = part.baseAddress else { return false }
                // SAFETY: both are of the lengths that are given.
                return chatelaine_memory_has(all, count, part, bytes.count) != 0
            }
        }
    }
}
