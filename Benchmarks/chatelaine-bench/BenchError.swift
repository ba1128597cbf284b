/// The reason why a benchmark stops.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func check(_ isFine: Bool, _ what: @autoclosure () -> String) throws {
        guard isFine else { throw BenchError(what()) }
    }
}
