import ChatelaineModel

/// What securityd says about itself and about the caller (`security status`): named facts in groups.
///
/// Facts are text, numbers and dates under dotted names, such as `store.items`, so that a newer daemon can say more to an
/// older tool. No fact is a secret or an attribute of an item.
public struct DaemonReport: Sendable, Equatable {
    /// Far above what any daemon says.
    static let maximumFacts = 256

    public private(set) var facts: [(name: String, value: AttributeValue)] = []

    public init() {}

    public subscript(name: String) -> AttributeValue? { facts.first { $0.name == name }?.value }

    public mutating func add(_ name: String, _ value: String) { facts.append((name, .text(value))) }
    public mutating func add(_ name: String, _ value: some BinaryInteger) {
        facts.append((name, .number(Int64(clamping: value))))
    }

    /// - Parameter date: seconds since 2001.
    public mutating func add(_ name: String, date: Double) { facts.append((name, .date(date))) }

    public static func == (left: DaemonReport, right: DaemonReport) -> Bool {
        left.facts.count == right.facts.count && zip(left.facts, right.facts).allSatisfy { $0 == $1 }
    }
}

/// An array of arrays: name and value.
extension DaemonReport: CBORValue, ReplyBody {
    public func encode(to writer: inout CBORWriter) {
        writer.writeArray(count: facts.count)
        for fact in facts {
            writer.writeArray(count: 2)
            writer.write(fact.name)
            fact.value.encode(to: &writer)
        }
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        self.init()
        for _ in 0..<(try reader.readArrayCount(limit: Self.maximumFacts)) {
            try reader.readArrayHead(of: 2)
            let name = try reader.readText()
            facts.append((name, try AttributeValue(from: &reader)))
        }
    }
}
