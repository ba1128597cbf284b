@testable import ChatelaineModel

/// A dictionary and the parser's expected result for it.
struct ParserRow: Sendable, CustomStringConvertible {
    let description: String
    let operations: [QueryOperation]
    let pairs: [(key: String, value: QueryValue)]
    let status: Status

    init(
        _ description: String, _ operations: [QueryOperation], _ pairs: KeyValuePairs<String, QueryValue>,
        _ status: Status = .success
    ) {
        self.description = description
        self.operations = operations
        self.pairs = pairs.map { ($0.key, $0.value) }
        self.status = status
    }
}

let everyOperation: [QueryOperation] = [.add, .find, .update, .delete]
let searches: [QueryOperation] = [.find, .update, .delete]

/// The parsed dictionary, for a call of any kind.
enum Meaning {
    case newItem(NewItem)
    case search(ItemQuery, SearchOperation)

    var attributes: AttributeSet {
        switch self {
        case .newItem(let item): item.attributes
        case .search(let query, _): query.attributes
        }
    }

    var accessibility: Accessibility? {
        switch self {
        case .newItem(let item): item.accessibility
        case .search(let query, _): query.accessibility
        }
    }

    var isSynchronizable: Bool {
        switch self {
        case .newItem(let item): item.isSynchronizable
        case .search(let query, _): query.synchronizable == .synchronizable
        }
    }

    /// Checks the value with the daemon's rules.
    func validate() throws(KeychainError) {
        switch self {
        case .newItem(let item): try item.validate()
        case .search(let query, let operation): try query.validate(for: operation)
        }
    }
}

func meaning(
    _ pairs: [(key: String, value: QueryValue)], _ operation: QueryOperation
) -> Result<Meaning, KeychainError> {
    func search(_ operation: SearchOperation) throws(KeychainError) -> Meaning {
        .search(try QueryParser.query(pairs, for: operation), operation)
    }
    return Result { () throws(KeychainError) in
        switch operation {
        case .add: .newItem(try QueryParser.newItem(pairs))
        case .find: try search(.find)
        case .update: try search(.update)
        case .delete: try search(.delete)
        }
    }
}

func parse(_ pairs: KeyValuePairs<String, QueryValue>, _ operation: SearchOperation) throws -> ItemQuery {
    try QueryParser.query(pairs.map { ($0.key, $0.value) }, for: operation)
}

func parseNew(_ pairs: KeyValuePairs<String, QueryValue>) throws -> NewItem {
    try QueryParser.newItem(pairs.map { ($0.key, $0.value) })
}

func change(
    _ pairs: KeyValuePairs<String, QueryValue>, of itemClass: ItemClass = .genericPassword
) throws -> ItemChange {
    try QueryParser.change(pairs.map { ($0.key, $0.value) }, of: itemClass)
}

extension Result where Failure == KeychainError {
    var status: Status {
        switch self {
        case .success: .success
        case .failure(let error): error.status
        }
    }
}
