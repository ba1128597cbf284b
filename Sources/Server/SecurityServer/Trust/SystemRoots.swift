import CChatelaine
import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls
import TrustProtocol

/// The certificates that the distribution trusts, as its one file says; only root can have written it, or it does not count.
///
/// It is looked at with each question and read again when it is another. trustd takes it apart, and says the subject of each.
final class SystemRoots: Sendable {
    /// Where distributions keep it: Debian and Alpine, Fedora, openSUSE, Arch. The first that is there counts, unless it is a link, as Arch has it.
    static let places = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
    ]

    /// What was read, and the status of the file then.
    private struct Known {
        var status: FileStatus?
        var index = RootIndex([])
        /// Why files do not count, as the log has it: it is said once.
        var told: [String: String] = [:]
    }

    private let places: [String]
    private let reader: any TrustJudging
    private let files = FileCalls.system
    private let known = AdaptiveMutex(Known())
    private let file: @Sendable (String) -> RootFile
    private let log: Log

    init(
        places: [String] = places, reader: any TrustJudging, log: Log,
        file: @escaping @Sendable (String) -> RootFile = { RootFile(at: $0, limit: TrustLimits.maximumBundleBytes) }
    ) {
        self.places = places
        self.file = file
        self.reader = reader
        self.log = log
    }

    /// What counts now: nothing where there is no such file, or others than root could have written it.
    ///
    /// - Throws: where it cannot be read just now, and never was: a file at another place may be left over, and have roots that the distribution has taken back.
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
                // A status from before the file was read: one that was changed since is read again.
                known.withLock { ($0.status, $0.index) = (status, index) }
                tellWhatIsLeftOut(of: content, index, path)
                return index
            }
        }
        return RootIndex([])
    }

    /// What counted before.
    private func last(_ path: String, _ reason: String) throws(KeychainError) -> RootIndex {
        tell(path, reason)
        if let index = known.withLock({ $0.status == nil ? nil : $0.index }) { return index }
        throw KeychainError(.notAvailable, "the distribution's certificates are not known: \(reason)")
    }

    /// Whether a path is one by another name.
    private func isBehindLink(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        return String(cString: real) != path
    }

    private func tell(_ path: String, _ reason: String) {
        guard known.withLock({ $0.told.updateValue(reason, forKey: path) }) != reason else { return }
        log.warning("a file of the distribution's certificates does not count", ["reason": reason])
    }

    /// What nobody here can read, or stands there twice.
    private func tellWhatIsLeftOut(of file: [UInt8], _ index: RootIndex, _ path: String) {
        let blocks = file.split(separator: UInt8(ascii: "\n")).count { $0.starts(with: Self.start) }
        guard blocks != index.roots.count else { return }
        log.notice(
            "some of the distribution's certificates are left out",
            ["path": path, "blocks": "\(blocks)", "certificates": "\(index.roots.count)"])
    }

    private static let start = Array("-----BEGIN ".utf8)
}

/// Roots by their subjects, for questions whose certificates nobody here can read.
struct RootIndex: Sendable {
    let roots: [TrustRoot]
    fileprivate let bySubject: [[UInt8]: [Int]]

    init(_ roots: [TrustRoot]) {
        self.roots = roots
        bySubject = Dictionary(grouping: roots.indices) { roots[$0].subject }
    }
}

/// The roots to which the certificates of one evaluation can lead.
struct RootSearch {
    private let roots: [TrustRoot]
    private var left: [[UInt8]: [Int]]
    private(set) var found: [[UInt8]] = []

    init(_ index: RootIndex) { (roots, left) = (index.roots, index.bySubject) }

    /// Finds those whose subjects occur in one of `certificates`, or in a root that does: a chain can lead to no others.
    ///
    /// The bytes are only searched for, and what they mean is for trustd to say.
    ///
    /// - Returns: those that were not found before.
    mutating func add(_ certificates: [[UInt8]]) -> [[UInt8]] {
        let before = found.count
        var searched = certificates
        while let certificate = searched.popLast() {
            for (subject, places) in left where certificate.contains(bytes: subject) {
                left[subject] = nil
                let named = places.map { roots[$0].certificate }
                found += named
                searched += named
            }
        }
        return Array(found[before...])
    }
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
