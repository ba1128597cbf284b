import CChatelaine
import ChatelaineMemory
import ChatelaineSystem
import Glibc

/// A running pinentry, spoken to over pipes (Assuan): lines of text in both directions, and data in `D` lines.
final class Pinentry {
    /// The result of a command.
    enum Answer: Equatable {
        case ok
        case error(UInt32)
    }

    /// The longest line: a password with every byte escaped, and the bytes around it.
    private static let longestLine = 3 * 1024 + 64
    /// The number of lines in the answer to one command.
    private static let mostRemarks = 64
    /// Milliseconds for the answer to a command that shows nothing.
    private static let patience = 10_000
    /// Milliseconds that a pinentry may take to end by itself.
    private static let farewell: Int32 = 500

    let pid: pid_t
    /// The writing end; -1 once it is closed.
    private var input: Int32
    private let output: Descriptor
    /// The channel to securityd.
    ///
    /// Any event on it while a dialog is shown ends the dialog.
    private let watched: Int32
    private var line = SecretBuffer(capacity: Pinentry.longestLine)
    private var hasEnded = false

    /// Starts a pinentry, and reads its greeting.
    init(_ program: PinentryProgram, environment: [String], watching watched: Int32) throws(PinentryFailure) {
        let started = try Self.start(program, environment)
        pid = started.pid
        input = started.input
        output = Descriptor(started.output)
        self.watched = watched
        var nothing = SecretBuffer(capacity: 1)
        guard try answer(&nothing, limit: 0, until: Self.now + Self.patience) == .ok else { throw .confused }
    }

    /// Starts a pinentry, and returns this process's ends of its pipes.
    ///
    /// The other ends are closed here, so that the pipes show when it has ended.
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

    /// Sends a command that shows nothing and that some flavours may not know.
    func set(_ command: String, _ text: String) throws(PinentryFailure) {
        var nothing = SecretBuffer(capacity: 1)
        _ = try ask("\(command) \(AssuanText.escaped(text))", &nothing, limit: 0, until: Self.now + Self.patience)
    }

    /// Resets the texts of a dialog.
    ///
    /// The settings of its terminal stay.
    func reset() throws(PinentryFailure) {
        var nothing = SecretBuffer(capacity: 1)
        guard try ask("RESET", &nothing, limit: 0, until: Self.now + Self.patience) == .ok else { throw .confused }
    }

    /// The flavour that it reports: `curses`, `tty`, `gtk2`, or `gtk2:curses` where it has fallen back to a terminal.
    func flavor() throws(PinentryFailure) -> String {
        var flavor = SecretBuffer(capacity: 64)
        guard try ask("GETINFO flavor", &flavor, limit: 64, until: Self.now + Self.patience) == .ok else { return "" }
        return flavor.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Shows the dialog with a field; appends the typed text to `typed`.
    func askForText(_ typed: inout SecretBuffer, limit: Int, milliseconds: Int) throws(PinentryFailure) -> Answer {
        try ask("GETPIN", &typed, limit: limit, until: Self.now + milliseconds)
    }

    /// Shows the dialog with buttons.
    func askForConfirmation(milliseconds: Int) throws(PinentryFailure) -> Answer {
        var nothing = SecretBuffer(capacity: 1)
        return try ask("CONFIRM", &nothing, limit: 0, until: Self.now + milliseconds)
    }

    /// Shows the dialog with one button.
    func show(milliseconds: Int) throws(PinentryFailure) -> Answer {
        var nothing = SecretBuffer(capacity: 1)
        return try ask("MESSAGE", &nothing, limit: 0, until: Self.now + milliseconds)
    }

    /// Ends the pinentry, if possible by itself, since it then restores its terminal.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        if input >= 0 { close(input) }
        input = -1
        // Most flavours end when their input closes, but not while they show something.
        if !hasLeft(within: 0) { kill(pid, SIGTERM) }
        if !hasLeft(within: Self.farewell) { kill(pid, SIGKILL) }
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }

    /// Whether pinentry has closed its end of the pipe.
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
            // The pipe has room for all lines of a dialog, even unread. SIGPIPE is ignored.
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

    /// Reads a line byte by byte, so that no part of the next line is in memory, and nothing has to be moved.
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

    private static var now: Int { Int(MonotonicClock.milliseconds) }
}
