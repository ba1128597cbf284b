import CChatelaine
import ChatelaineMemory
import ChatelaineSystem
import Glibc

/// A running pinentry, spoken to over pipes (Assuan): a line of text each way, and data by `D` lines.
final class Pinentry {
    /// What came of a command.
    enum Answer: Equatable {
        case ok
        case error(UInt32)
    }

    /// A line of data with every byte of a password escaped, and what is around it.
    private static let longestLine = 3 * 1024 + 64
    /// Lines of remarks to one command.
    private static let mostRemarks = 64
    /// Milliseconds for an answer to what shows nothing.
    private static let patience = 10_000
    /// Milliseconds that one may take to end by itself.
    private static let farewell: Int32 = 500

    let pid: pid_t
    /// -1 once it is closed.
    private var input: Int32
    private let output: Descriptor
    /// The channel to securityd: whatever happens on it while a dialog is shown ends that.
    private let watched: Int32
    private var line = SecretBuffer(capacity: Pinentry.longestLine)
    private var hasEnded = false

    /// Starts one, and hears its greeting.
    init(_ program: PinentryProgram, environment: [String], watching watched: Int32) throws(PinentryFailure) {
        let started = try Self.start(program, environment)
        pid = started.pid
        input = started.input
        output = Descriptor(started.output)
        self.watched = watched
        var nothing = SecretBuffer(capacity: 1)
        guard try answer(&nothing, limit: 0, until: Self.now + Self.patience) == .ok else { throw .confused }
    }

    /// A running pinentry and our ends of its pipes. Its own ends are closed here, so that the pipes tell when it has ended.
    private static func start(
        _ program: PinentryProgram, _ environment: [String]
    ) throws(PinentryFailure) -> (pid: pid_t, input: Int32, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard chatelaine_pipe(&ends) == 0 else { throw .confused }
        let theirInput = Descriptor(ends[0])
        let ourInput = Descriptor(ends[1])
        guard chatelaine_pipe(&ends) == 0 else { throw .confused }
        let ourOutput = Descriptor(ends[0])
        let theirOutput = Descriptor(ends[1])
        var words = [strdup(program.path), nil]
        var settings = environment.map { strdup($0) } + [nil]
        defer { for string in words + settings { free(string) } }
        // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
        let pid = chatelaine_spawn_between(
            program.path, &words, &settings, theirInput.number, theirOutput.number)
        guard pid > 0 else { throw .confused }
        return (pid, ourInput.release(), ourOutput.release())
    }

    deinit { end() }

    /// Puts a command that shows nothing and may not be known to every flavour.
    func set(_ command: String, _ text: String) throws(PinentryFailure) {
        var nothing = SecretBuffer(capacity: 1)
        _ = try ask("\(command) \(AssuanText.escaped(text))", &nothing, limit: 0, until: Self.now + Self.patience)
    }

    /// Has it forget what was set for a dialog. What was said of its terminal stays.
    func reset() throws(PinentryFailure) {
        var nothing = SecretBuffer(capacity: 1)
        guard try ask("RESET", &nothing, limit: 0, until: Self.now + Self.patience) == .ok else { throw .confused }
    }

    /// What it says of itself: `curses`, `tty`, `gtk2`, or `gtk2:curses` where it has fallen back to a terminal.
    func flavor() throws(PinentryFailure) -> String {
        var flavor = SecretBuffer(capacity: 64)
        guard try ask("GETINFO flavor", &flavor, limit: 64, until: Self.now + Self.patience) == .ok else { return "" }
        return flavor.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Shows what was set, with a field; what is typed is appended to `typed`.
    func askForText(_ typed: inout SecretBuffer, limit: Int, milliseconds: Int) throws(PinentryFailure) -> Answer {
        try ask("GETPIN", &typed, limit: limit, until: Self.now + milliseconds)
    }

    /// Shows what was set, with buttons.
    func askForConfirmation(milliseconds: Int) throws(PinentryFailure) -> Answer {
        var nothing = SecretBuffer(capacity: 1)
        return try ask("CONFIRM", &nothing, limit: 0, until: Self.now + milliseconds)
    }

    /// Shows what was set, with one button.
    func show(milliseconds: Int) throws(PinentryFailure) -> Answer {
        var nothing = SecretBuffer(capacity: 1)
        return try ask("MESSAGE", &nothing, limit: 0, until: Self.now + milliseconds)
    }

    /// Has it end, by itself where it can: a terminal is then as it was.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        if input >= 0 { close(input) }
        input = -1
        // Most end when nobody speaks to them, but not while they show something.
        if !hasLeft(within: 0) { kill(pid, SIGTERM) }
        if !hasLeft(within: Self.farewell) { kill(pid, SIGKILL) }
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }

    /// Whether its end of the pipe is closed.
    private func hasLeft(within milliseconds: Int32) -> Bool {
        let deadline = Self.now + Int(milliseconds)
        while true {
            let result = SocketCalls.poll(output.number, 0, Int32(clamping: max(0, deadline - Self.now)))
            if result.count > 0 { return true }
            if result.count == 0 { return false }
        }
    }

    private func ask(
        _ command: String, _ data: inout SecretBuffer, limit: Int, until deadline: Int
    ) throws(PinentryFailure) -> Answer {
        guard command.utf8.count < AssuanText.longestLine, !command.utf8.contains(UInt8(ascii: "\n")) else {
            throw .confused
        }
        try write(command + "\n")
        return try answer(&data, limit: limit, until: deadline)
    }

    private func write(_ text: String) throws(PinentryFailure) {
        guard input >= 0 else { throw .confused }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // A pipe that nobody reads takes all of a dialog's lines; SIGPIPE is ignored.
            let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw .confused }
            bytes = bytes.dropFirst(max(0, count))
        }
    }

    private func answer(
        _ data: inout SecretBuffer, limit: Int, until deadline: Int
    ) throws(PinentryFailure) -> Answer {
        for _ in 0..<Self.mostRemarks {
            try readLine(until: deadline)
            switch line.withUnsafeBytes({ AssuanLine($0) }) {
            case .ok: return .ok
            case .error(let number): return .error(number)
            case .data:
                let isRight = line.withUnsafeBytes { AssuanLine.append($0, to: &data, limit: limit) }
                guard isRight else { throw .confused }
            case .remark: break
            case .other: throw .confused
            }
        }
        throw .confused
    }

    /// Reads a line byte by byte: nothing of the next one is ever in our memory, and nothing has to be moved in it.
    private func readLine(until deadline: Int) throws(PinentryFailure) {
        line.reset(keeping: Self.longestLine)
        while true {
            try awaitByte(until: deadline)
            let count = line.append(capacity: 1) { read(output.number, $0.baseAddress, 1) }
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw .confused }
            if line.withUnsafeBytes({ $0.last }) == UInt8(ascii: "\n") { return line.removeLast(1) }
            guard line.count < Self.longestLine else { throw .confused }
        }
    }

    private func awaitByte(until deadline: Int) throws(PinentryFailure) {
        while true {
            var both = [
                pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: watched, events: Int16(POLLIN), revents: 0),
            ]
            // SAFETY: the call reads and writes as many elements as it is told there are.
            let count = poll(&both, 2, Int32(clamping: max(0, deadline - Self.now)))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .confused }
            if count == 0 { throw .overdue }
            if both[1].revents != 0 { throw .withdrawn }
            return
        }
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
