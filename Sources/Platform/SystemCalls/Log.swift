import CChatelaine
import ChatelaineSystem
import Glibc
import Synchronization

/// Writes a daemon's structured log lines: to the journal where there is one, otherwise to standard error or the
/// daemon's own file.
///
/// Messages name things and never contain their content: no secret and no attribute value is logged. The journal gets
/// each line as one datagram of its native protocol (systemd's "Native Journal Protocol").
///
/// A log that cannot be written stops nothing: a line that its reader has no room for is left out. The next line says
/// how many were.
package final class Log: Sendable {
    package enum Level: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        /// Every failed call of a program; such errors are the program's, not the daemon's.
        case debug = 7
    }

    /// The size at which a new file is begun; the former file is kept beside it.
    static let largestFile = 1024 * 1024
    package static let journal = "/run/systemd/journal/socket"
    /// The bytes that a pipe takes without waiting once it has room (PIPE_BUF, pipe(7)); more of a line is left out.
    static let largestPiece = 4096

    /// Whether lines of ``Level/debug`` are written.
    package let isDebugging: Bool
    private let program: String
    private let destination: Destination
    private let leftOut = Atomic(0)

    private enum Destination: Sendable {
        case journal(Int32)
        case stream(Int32)
        case file(String, mayWrite: @Sendable () -> Bool)
    }

    /// Writes to standard error, for a process that can reach neither the journal nor a file of its own.
    package init(program: String, stream: Int32 = STDERR_FILENO) {
        self.program = program
        isDebugging = false
        destination = .stream(stream)
    }

    /// Writes to a file, for tests, even where there is a journal; writes nothing where the file may not be written to.
    package init(file path: String, mayWrite: @escaping @Sendable () -> Bool = { true }) {
        program = "test"
        isDebugging = false
        destination = .file(path, mayWrite: mayWrite)
    }

    /// - Parameters:
    ///   - program: the name in each line.
    ///   - path: the file that is used where there is neither a journal nor a reader of standard error.
    ///   - mayWrite: asked before each line to the file; false where others may change its folder.
    ///   - isDebugging: whether callers' errors are logged as well.
    ///   - journal: the socket of the journal.
    package init(
        program: String, path: String, mayWrite: @escaping @Sendable () -> Bool, isDebugging: Bool = false,
        journal: String = Log.journal
    ) {
        self.program = program
        self.isDebugging = isDebugging
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if socket >= 0, chatelaine_unix_connect(socket, journal) == 0 {
            destination = .journal(socket)
            return
        }
        if socket >= 0 { close(socket) }
        destination = Self.isNull(STDERR_FILENO) ? .file(path, mayWrite: mayWrite) : .stream(STDERR_FILENO)
    }

    package func error(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.error, message, fields)
    }

    package func warning(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.warning, message, fields)
    }

    package func notice(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.notice, message, fields)
    }

    /// Logs a line of ``Level/debug``; the arguments are evaluated only where such lines are wanted.
    package func debug(
        _ message: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) {
        if isDebugging { write(.debug, message(), fields()) }
    }

    private func write(_ level: Level, _ message: String, _ fields: KeyValuePairs<String, String>) {
        let missing = leftOut.exchange(0, ordering: .relaxed)
        // At the beginning, since the end of a long line may be left out.
        let remark = missing == 0 ? "" : "(\(missing) lines before this one found no reader) "
        let clean = Self.oneLine(remark + message)
        if !put(level, clean, fields) { leftOut.add(missing + 1, ordering: .relaxed) }
    }

    /// Whether the line was written, or can never be.
    private func put(_ level: Level, _ clean: String, _ fields: KeyValuePairs<String, String>) -> Bool {
        switch destination {
        case .journal(let socket):
            var datagram = "PRIORITY=\(level.rawValue)\nSYSLOG_IDENTIFIER=\(program)\nMESSAGE=\(clean)\n"
            for (name, value) in fields { datagram += "CHATELAINE_\(name.uppercased())=\(Self.oneLine(value))\n" }
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            // SAFETY: the call reads the bytes it is given.
            return datagram.withUTF8 { send(socket, $0.baseAddress, $0.count, flags) >= 0 || errno == EMSGSIZE }
        case .stream(let descriptor):
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, 0) > 0 else { return false }
            append(line(level, clean, fields), upTo: Self.largestPiece, to: descriptor)
            return true
        case .file(let path, let mayWrite):
            guard mayWrite() else { return true }
            // A pipe in the file's place would block every call that logs something.
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard file >= 0 else { return true }
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
            append(line(level, clean, fields), to: file)
            if lseek(file, 0, SEEK_END) > Self.largestFile { rename(path, path + ".1") }
            return true
        }
    }

    private func line(_ level: Level, _ message: String, _ fields: KeyValuePairs<String, String>) -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var stamp = [CChar](repeating: 0, count: 32)
        let length = strftime(&stamp, stamp.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        let text = String(decoding: stamp.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return fields.reduce("\(text) \(program)[\(getpid())] <\(level.rawValue)> \(message)") {
            "\($0) \($1.key)=\(Self.oneLine($1.value))"
        } + "\n"
    }

    private func append(_ line: String, upTo limit: Int = .max, to descriptor: Int32) {
        var bytes = Array(line.utf8)
        if bytes.count > limit { bytes = bytes.prefix(limit - 1) + [UInt8(ascii: "\n")] }
        // SAFETY: the call reads the bytes it is given.
        bytes.withUnsafeBytes { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Replaces characters that break a line or move text on a terminal, so that a name cannot forge a second entry.
    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.isMisleading ? " " : Character($0) })
    }

    private static func isNull(_ descriptor: Int32) -> Bool {
        var own = stat()
        var null = stat()
        guard fstat(descriptor, &own) == 0, stat("/dev/null", &null) == 0 else { return true }
        return own.st_rdev == null.st_rdev && own.st_mode & S_IFMT == S_IFCHR
    }
}
