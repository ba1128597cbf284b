import CallerIdentity
import ChatelaineSystem
import FetchProtocol
import SystemCalls

/// Root's settings for the machine: whether servers that certificates name may be asked, and at which ports.
///
/// The files are checked with each evaluation that would ask a server.
struct AdminFetchSettings: Sendable {
    private static let switchName = "no-fetching"
    private static let portsName = "fetch-ports"
    /// Room for the maximum number of ports, with a comment each.
    private static let maximumFileBytes = 4 * 1024

    private let folder: String
    private let log: Log

    init(folder: String = AdminTrustSettings.folder, log: Log) { (self.folder, self.log) = (folder, log) }

    /// The ports at which servers may be asked; nil where none may be asked.
    var ports: [UInt16]? {
        switch RootFile(switchAt: "\(folder)/\(Self.switchName)") {
        case .content: return nil
        case .missing: break
        case .unusable(let reason): log.warning("a setting of trust does not count", ["reason": reason])
        case .unreadable(let reason):
            // Only the existence of root's file counts, and not its content.
            log.warning("no server is asked about certificates", ["reason": reason])
            return nil
        }
        return [FetchLimits.usualPort] + added.filter { $0 != FetchLimits.usualPort }
    }

    private var added: [UInt16] {
        let path = "\(folder)/\(Self.portsName)"
        switch RootFile(at: path, limit: Self.maximumFileBytes) {
        case .missing: return []
        case .unusable(let reason), .unreadable(let reason):
            log.warning("a setting of trust does not count", ["reason": reason])
            return []
        case .content(let bytes):
            guard let ports = Self.ports(in: bytes) else {
                log.warning("a setting of trust is not understood", ["path": path])
                return []
            }
            return ports
        }
    }

    /// Reads one port from each line; a number sign starts a comment.
    ///
    /// Nil where a line is no port, or there are too many.
    static func ports(in bytes: [UInt8]) -> [UInt16]? {
        var ports: [UInt16] = []
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            guard let word = words.first else { continue }
            guard words.count == 1, let port = UInt16(word), port > 0, ports.count < FetchLimits.maximumPorts - 1 else {
                return nil
            }
            if !ports.contains(port) { ports.append(port) }
        }
        return ports
    }
}
