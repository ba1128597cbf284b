/// Threads of a test, with an end.
enum Threads {
    /// Runs `body` on so many threads at once; fails if one of them throws or does not end in time.
    static func run(
        _ count: Int, within seconds: Double = 90, _ body: @escaping @Sendable (Int) throws -> Void
    ) throws {
        try Running(count, body).join(within: seconds)
    }
}
