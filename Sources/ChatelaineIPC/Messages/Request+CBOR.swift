import ChatelaineModel

extension Request {
    /// The `operation` field; the numbers never change meaning.
    private enum Operation {
        static let find: UInt64 = 1
        static let add: UInt64 = 2
        static let update: UInt64 = 3
        static let delete: UInt64 = 4
        static let status: UInt64 = 16
        static let listApplications: UInt64 = 17
        static let acceptApplication: UInt64 = 18
        static let developApplication: UInt64 = 19
        static let forgetApplication: UInt64 = 20
    }

    private enum Field {
        static let operation: UInt64 = 0
        static let identifier: UInt64 = 1
        static let query: UInt64 = 2
        static let change: UInt64 = 3
        static let path: UInt64 = 4
    }

    public func encode(to writer: inout CBORWriter) {
        switch self {
        case .find(let query):
            Self.begin(Operation.find, fields: 1, &writer)
            Self.write(query, &writer)
        case .add(let identifier, let query):
            Self.begin(Operation.add, fields: 2, &writer)
            Self.write(identifier, &writer)
            Self.write(query, &writer)
        case .update(let identifier, let query, let change):
            Self.begin(Operation.update, fields: 3, &writer)
            Self.write(identifier, &writer)
            Self.write(query, &writer)
            writer.write(Field.change)
            change.encode(to: &writer)
        case .delete(let identifier, let query):
            Self.begin(Operation.delete, fields: 2, &writer)
            Self.write(identifier, &writer)
            Self.write(query, &writer)
        case .status: Self.begin(Operation.status, fields: 0, &writer)
        case .applications(.list): Self.begin(Operation.listApplications, fields: 0, &writer)
        case .applications(.accept(let path)): Self.write(path, Operation.acceptApplication, &writer)
        case .applications(.develop(let path)): Self.write(path, Operation.developApplication, &writer)
        case .applications(.forget(let path)): Self.write(path, Operation.forgetApplication, &writer)
        }
    }

    private static func begin(_ operation: UInt64, fields: Int, _ writer: inout CBORWriter) {
        writer.writeMap(count: 1 + fields)
        writer.write(Field.operation)
        writer.write(operation)
    }

    private static func write(_ identifier: RequestIdentifier, _ writer: inout CBORWriter) {
        writer.write(Field.identifier)
        writer.write(identifier.bytes)
    }

    private static func write(_ query: ItemQuery, _ writer: inout CBORWriter) {
        writer.write(Field.query)
        query.encode(to: &writer)
    }

    private static func write(_ path: String, _ operation: UInt64, _ writer: inout CBORWriter) {
        begin(operation, fields: 1, &writer)
        writer.write(Field.path)
        writer.write(path)
    }

    /// Reads a request, whole or not at all; throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        var operation: UInt64?
        var identifier: RequestIdentifier?
        var query: ItemQuery?
        var change: ItemChange?
        var path: String?
        try reader.readMap(limit: 5) { field, reader in
            switch field {
            case Field.operation: operation = try reader.readUnsigned()
            case Field.identifier: identifier = try reader.readIdentifier()
            case Field.query: query = try ItemQuery(from: &reader)
            case Field.change: change = try ItemChange(from: &reader)
            case Field.path: path = try reader.readText()
            default: throw CBORError.unsupported
            }
        }
        try reader.finish()
        switch (operation, identifier, query, change, path) {
        case (Operation.find, nil, let query?, nil, nil): self = .find(query)
        case (Operation.add, let identifier?, let query?, nil, nil): self = .add(identifier, query)
        case (Operation.update, let identifier?, let query?, let change?, nil):
            self = .update(identifier, query, change)
        case (Operation.delete, let identifier?, let query?, nil, nil): self = .delete(identifier, query)
        case (Operation.status, nil, nil, nil, nil): self = .status
        case (Operation.listApplications, nil, nil, nil, nil): self = .applications(.list)
        case (Operation.acceptApplication, nil, nil, nil, let path?): self = .applications(.accept(path: path))
        case (Operation.developApplication, nil, nil, nil, let path?): self = .applications(.develop(path: path))
        case (Operation.forgetApplication, nil, nil, nil, let path?): self = .applications(.forget(path: path))
        default: throw CBORError.unsupported
        }
    }
}
