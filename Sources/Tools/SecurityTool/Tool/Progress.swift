import ChatelaineModel

/// A line on standard error that says how far a long operation is; on a terminal only.
struct Progress: Sendable {
    /// What takes less long needs no line.
    private static let patienceMilliseconds: Int32 = 500
    /// Reading less than this is over before anybody could look.
    static let bytesWorthTelling = 1024 * 1024
    /// Between two updates of the count of items or bytes.
    static let itemsBetweenUpdates = 5_000

    /// Wide enough for every line here, and narrow enough for a terminal; blanks, because not every terminal knows codes.
    private static let columns = 50
    private static let clear = "\r" + String(repeating: " ", count: columns) + "\r"

    private let errors: Output

    init(_ errors: Output) { self.errors = errors }

    func show(_ text: String) {
        guard errors.isTerminal else { return }
        try? errors.write(Self.clear + text)
    }

    func finish() {
        guard errors.isTerminal else { return }
        try? errors.write(Self.clear)
    }

    /// Runs a call of the Keychain, and shows the seconds that it takes.
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
