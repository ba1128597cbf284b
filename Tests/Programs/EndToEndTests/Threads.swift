/// Threads of a test that end within a limit.
enum Threads {
    /// Runs `body` on `count` threads at once; fails if one of them throws or does not end in time.
    static func run(
        _ count: Int, within seconds: Double = 90, _ body: @escaping @Sendable (Int) throws -> Void
    ) throws {
        try Running(count, body).join(within: seconds)
    }
}
