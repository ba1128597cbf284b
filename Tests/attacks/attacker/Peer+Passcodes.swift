import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import Glibc

/// Sends requests that announce passcodes, and unexpected or wrong descriptors.
extension Peer {
    private static let passcode = Array("correct horse".utf8)

    /// - Parameter words: the operation, and after it optionally the kind of descriptor.
    func announce(_ words: String) throws -> String {
        let parts = words.split(separator: ":").map(String.init)
        var writer = CBORWriter(capacity: 16)
        writer.writeMap(count: 1)
        writer.write(UInt64(0))
        writer.write(UInt64(parts.first ?? "") ?? 0)
        try send(writer.finishArray(), what: parts.count > 1 ? parts[1] : "nothing")
        return try header()
    }

    /// - Parameter words: the number of the part, and the kind of descriptor.
    func part(_ words: String) throws {
        let parts = words.split(separator: ":").map(String.init)
        guard parts.count == 2 else { throw FrameError.unexpected }
        try send([0xA1, 0x00, UInt8(parts[0]) ?? 0], what: parts[1])
    }

    func report() throws -> String {
        try open().withFrame(limit: FrameLimits.replyBytes) { frame, _ in
            var reader = CBORReader(frame)
            let header = try ReplyHeader(from: &reader)
            guard header.status == .success else { return "\(header.status.rawValue)" }
            let report = try DeviceReport(from: &reader)
            return "\(header.status.rawValue) \(report.outcome) \(report.failures)"
        }
    }

    private func send(_ frame: [UInt8], what: String) throws {
        let length = withUnsafeBytes(of: UInt32(frame.count).littleEndian) { Array($0) }
        let descriptors = try Self.descriptors(what)
        defer { for descriptor in descriptors { close(descriptor) } }
        try send(length + frame, descriptors)
    }

    private static func descriptors(_ what: String) throws -> [Int32] {
        switch what {
        case "nothing": return []
        case "right": return [sealed(passcode)]
        case "wrong": return [sealed(Array("wrong".utf8))]
        case "two": return [sealed(passcode), sealed(passcode)]
        case "empty": return [sealed([])]
        case "long": return [sealed([UInt8](repeating: 65, count: 2000))]
        case "unsealed":
            let file = chatelaine_memfd("attacker")
            _ = write(file, passcode, passcode.count)
            return [file]
        case "pipe", "silent", "closed":
            var ends: [Int32] = [-1, -1]
            guard Glibc.pipe(&ends) == 0 else { throw FrameError.system(errno) }
            if what == "pipe" { _ = write(ends[1], passcode, passcode.count) }
            // For `silent` this end stays open, so that no reader reaches the end of the pipe.
            if what != "silent" { close(ends[1]) }
            return [ends[0]]
        case "fifo":
            let path = "/tmp/attacker-\(getpid())"
            guard mkfifo(path, 0o600) == 0 else { throw FrameError.system(errno) }
            defer { unlink(path) }
            return [Glibc.open(path, O_RDWR | O_NONBLOCK)]
        case "socket":
            var pair: [Int32] = [-1, -1]
            guard chatelaine_unix_socketpair(&pair) == 0 else { throw FrameError.system(errno) }
            _ = write(pair[1], passcode, passcode.count)
            return [pair[0]]
        case "file": return [Glibc.open("/etc/hostname", O_RDONLY)]
        case "folder": return [Glibc.open("/", O_RDONLY | O_DIRECTORY)]
        case "device": return [Glibc.open("/dev/zero", O_RDONLY)]
        default: throw FrameError.unexpected
        }
    }

    private static func sealed(_ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { chatelaine_sealed_memfd_holding("attacker", $0.baseAddress, $0.count) }
    }
}
