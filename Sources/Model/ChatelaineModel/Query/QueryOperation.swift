/// The call that a dictionary is for, on which some rules depend.
enum QueryOperation: Sendable {
    case add
    case find
    case update
    case delete
}

/// What a request does with the items that an ``ItemQuery`` describes.
package enum SearchOperation: UInt8, Sendable {
    case find = 1
    case update = 2
    case delete = 3

    var call: QueryOperation {
        switch self {
        case .find: .find
        case .update: .update
        case .delete: .delete
        }
    }
}
