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
        static let listSnapshots: UInt64 = 32
        static let takeSnapshot: UInt64 = 33
        static let restoreSnapshot: UInt64 = 34
        static let deleteSnapshot: UInt64 = 35
        static let deleteSnapshots: UInt64 = 36
        static let check: UInt64 = 37
        static let showLosses: UInt64 = 38
        static let acknowledgeLosses: UInt64 = 39
    }

    private enum Field {
        static let operation: UInt64 = 0
        static let identifier: UInt64 = 1
        static let query: UInt64 = 2
        static let change: UInt64 = 3
        static let path: UInt64 = 4
        static let name: UInt64 = 5
        static let number: UInt64 = 6
    }

    public func encode(to writer: inout CBORWriter) {
        switch self {
        case .find(let query):
            Self.begin(Operation.find, fields: 1, &writer)
            Self.write(query, &writer)
        case .add(let identifier, let item):
            Self.begin(Operation.add, fields: 2, &writer)
            Self.write(identifier, &writer)
            writer.write(Field.query)
            item.encode(to: &writer)
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
        case .snapshots(.list): Self.begin(Operation.listSnapshots, fields: 0, &writer)
        case .snapshots(.take): Self.begin(Operation.takeSnapshot, fields: 0, &writer)
        case .snapshots(.restore(let name)): Self.write(name: name, Operation.restoreSnapshot, &writer)
        case .snapshots(.delete(let name)): Self.write(name: name, Operation.deleteSnapshot, &writer)
        case .snapshots(.deleteAll(let kept)): Self.write(kept, Operation.deleteSnapshots, &writer)
        case .check(let position): Self.write(position, Operation.check, &writer)
        case .losses(.show): Self.begin(Operation.showLosses, fields: 0, &writer)
        case .losses(.acknowledge): Self.begin(Operation.acknowledgeLosses, fields: 0, &writer)
        }
    }

    private static func begin(_ operation: UInt64, fields: Int, _ writer: inout CBORWriter) {
        writer.writeMap(count: 1 + fields)
        writer.write(Field.operation)
        writer.write(operation)
    }

    private static func write(_ identifier: RequestIdentifier, _ writer: inout CBORWriter) {
        writer.write(Field.identifier)
        writer.write(identifier.value)
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

    private static func write(name: String, _ operation: UInt64, _ writer: inout CBORWriter) {
        begin(operation, fields: 1, &writer)
        writer.write(Field.name)
        writer.write(name)
    }

    private static func write(_ number: UInt64, _ operation: UInt64, _ writer: inout CBORWriter) {
        begin(operation, fields: 1, &writer)
        writer.write(Field.number)
        writer.write(number)
    }

    /// Reads a request, whole or not at all; throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        let count = try reader.readMapCount(limit: 4)
        try reader.readKey(Field.operation)
        let operation = try reader.readUnsigned()
        let fields: Int
        switch operation {
        case Operation.find:
            fields = 1
            self = .find(try Self.readQuery(&reader))
        case Operation.add:
            fields = 2
            let identifier = try Self.readIdentifier(&reader)
            try reader.readKey(Field.query)
            self = .add(identifier, try NewItem(from: &reader))
        case Operation.update:
            fields = 3
            let identifier = try Self.readIdentifier(&reader)
            let query = try Self.readQuery(&reader)
            try reader.readKey(Field.change)
            self = .update(identifier, query, try ItemChange(from: &reader))
        case Operation.delete:
            fields = 2
            let identifier = try Self.readIdentifier(&reader)
            self = .delete(identifier, try Self.readQuery(&reader))
        case Operation.status:
            fields = 0
            self = .status
        case Operation.listApplications:
            fields = 0
            self = .applications(.list)
        case Operation.acceptApplication:
            fields = 1
            self = .applications(.accept(path: try Self.readPath(&reader)))
        case Operation.developApplication:
            fields = 1
            self = .applications(.develop(path: try Self.readPath(&reader)))
        case Operation.forgetApplication:
            fields = 1
            self = .applications(.forget(path: try Self.readPath(&reader)))
        case Operation.listSnapshots:
            fields = 0
            self = .snapshots(.list)
        case Operation.takeSnapshot:
            fields = 0
            self = .snapshots(.take)
        case Operation.restoreSnapshot:
            fields = 1
            self = .snapshots(.restore(name: try Self.readName(&reader)))
        case Operation.deleteSnapshot:
            fields = 1
            self = .snapshots(.delete(name: try Self.readName(&reader)))
        case Operation.deleteSnapshots:
            fields = 1
            self = .snapshots(.deleteAll(kept: try Self.readNumber(&reader)))
        case Operation.check:
            fields = 1
            self = .check(position: try Self.readNumber(&reader))
        case Operation.showLosses:
            fields = 0
            self = .losses(.show)
        case Operation.acknowledgeLosses:
            fields = 0
            self = .losses(.acknowledge)
        default: throw CBORError.unsupported
        }
        guard count == 1 + fields else { throw CBORError.unsupported }
        try reader.finish()
    }

    private static func readIdentifier(_ reader: inout CBORReader) throws -> RequestIdentifier {
        try reader.readKey(Field.identifier)
        return try reader.readIdentifier()
    }

    private static func readQuery(_ reader: inout CBORReader) throws -> ItemQuery {
        try reader.readKey(Field.query)
        return try ItemQuery(from: &reader)
    }

    private static func readName(_ reader: inout CBORReader) throws -> String {
        try reader.readKey(Field.name)
        return try reader.readText()
    }

    private static func readNumber(_ reader: inout CBORReader) throws -> UInt64 {
        try reader.readKey(Field.number)
        return try reader.readUnsigned()
    }

    private static func readPath(_ reader: inout CBORReader) throws -> String {
        try reader.readKey(Field.path)
        return try reader.readText()
    }
}
