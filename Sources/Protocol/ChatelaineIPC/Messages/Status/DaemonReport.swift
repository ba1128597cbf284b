import ChatelaineModel

/// What securityd reports about itself and about the caller (`security status`): named facts in groups.
///
/// Facts are text, numbers and dates under dotted names, such as `store.items`, so that a newer daemon can report more
/// to an older tool. No fact is a secret or an attribute of an item.
package struct DaemonReport: Sendable, Equatable {
    /// Far more facts than any daemon reports.
    static let maximumFacts = 256

    package private(set) var facts: [(name: String, value: AttributeValue)] = []

    package init() {}

    package subscript(name: String) -> AttributeValue? { facts.first { $0.name == name }?.value }

    package mutating func add(_ name: String, _ value: String) { facts.append((name, .text(value))) }
    package mutating func add(_ name: String, _ word: some RawRepresentable<String>) { add(name, word.rawValue) }
    package mutating func add(_ name: String, _ value: some BinaryInteger) {
        facts.append((name, .number(Int64(clamping: value))))
    }

    /// - Parameter date: seconds since 2001.
    package mutating func add(_ name: String, date: Double) { facts.append((name, .date(date))) }

    package static func == (left: DaemonReport, right: DaemonReport) -> Bool {
        left.facts.count == right.facts.count && zip(left.facts, right.facts).allSatisfy { $0 == $1 }
    }
}

/// On the wire the report is an array of facts, each an array of name and value.
extension DaemonReport: CBORValue, ReplyBody {
    package func encode(to writer: inout CBORWriter) {
        writer.writeArray(count: facts.count)
        for fact in facts {
            writer.writeArray(count: 2)
            writer.write(fact.name)
            fact.value.encode(to: &writer)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        self.init()
        for _ in 0..<(try reader.readArrayCount(limit: Self.maximumFacts)) {
            try reader.readArrayHead(of: 2)
            let name = try reader.readText()
            facts.append((name, try AttributeValue(from: &reader)))
        }
    }
}
