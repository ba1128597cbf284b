@testable import ChatelaineModel

/// A dictionary and what the parser has to say to it.
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

/// What becomes of a dictionary, whatever call it is for.
func parse(_ pairs: [(key: String, value: QueryValue)], _ operation: QueryOperation) -> Result<Void, KeychainError> {
    Result { () throws(KeychainError) in
        switch operation {
        case .add: _ = try QueryParser.newItem(pairs)
        case .find: _ = try QueryParser.query(pairs, for: .find)
        case .update: _ = try QueryParser.query(pairs, for: .update)
        case .delete: _ = try QueryParser.query(pairs, for: .delete)
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
