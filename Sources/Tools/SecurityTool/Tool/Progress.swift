import ChatelaineModel
import Glibc

/// A line on standard error with the progress of a long operation; on terminals only.
///
/// A dialog in the same terminal reads single keys (`ICANON` is off). Meanwhile nothing is written into it.
struct Progress: Sendable {
    /// The time after which an operation gets a line.
    private static let patienceMilliseconds: Int32 = 500
    /// The bytes after which reading shows progress; fewer are read too fast to see it.
    static let bytesWorthTelling = 1024 * 1024
    /// The number of items between two updates.
    static let itemsBetweenUpdates = 5_000

    /// The width to clear: more than every line here, and less than a terminal.
    ///
    /// Blanks clear it, because some terminals have no control codes.
    private static let columns = 50
    private static let clear = "\r" + String(repeating: " ", count: columns) + "\r"

    private let errors: Output

    init(_ errors: Output) { self.errors = errors }

    /// Whether the terminal shows lines of this program.
    private var isOurs: Bool {
        var settings = termios()
        return errors.isTerminal && tcgetattr(errors.descriptor, &settings) == 0
            && settings.c_lflag & tcflag_t(ICANON) != 0
    }

    func show(_ text: String) {
        guard isOurs else { return }
        try? errors.write(Self.clear + text)
    }

    func finish() {
        guard isOurs else { return }
        try? errors.write(Self.clear)
    }

    /// Runs a call of the Keychain, and shows the elapsed seconds.
    func watch<Value: Sendable>(
        _ what: String, _ call: @escaping @Sendable () throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        guard errors.isTerminal else { return try call() }
        let background = Background<Result<Value, KeychainError>> { () -> Result<Value, KeychainError> in
            do throws(KeychainError) { return .success(try call()) } catch { return .failure(error) }
        }
        var elapsed: Int32 = 0
        while true {
            if let outcome = background.wait(milliseconds: Self.patienceMilliseconds) {
                if elapsed > 0 { finish() }
                return try outcome.get()
            }
            elapsed += Self.patienceMilliseconds
            show("\(what)… \(elapsed / 1000) s")
        }
    }
}
