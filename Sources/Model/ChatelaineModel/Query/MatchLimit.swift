/// How many items a search returns (`kSecMatchLimit`), which also decides whether the result is an array.
package enum MatchLimit: Hashable, Sendable {
    case one
    /// Two or more.
    case count(Int)
    case all

    /// - Parameter count: at least one.
    package init(_ count: Int) { self = count > 1 ? .count(count) : .one }

    /// The most items to return.
    package var maximum: Int {
        switch self {
        case .one: 1
        case .count(let count): count
        case .all: .max
        }
    }
}
