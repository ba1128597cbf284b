import ChatelaineModel

/// Pairs of a dictionary in the making; each attribute once.
struct AssignmentList {
    private(set) var pairs: [(key: String, value: QueryValue)] = []

    mutating func add(_ key: String, _ text: String) throws(ToolError) {
        guard !pairs.contains(where: { $0.key == key }) else {
            throw .usage("\(AttributeWord.name(of: key)) is given twice")
        }
        pairs.append((key, try AttributeWord.value(text, for: key)))
    }

    /// Adds `name=value`.
    mutating func add(assignment: String, option: String) throws(ToolError) {
        guard let equals = assignment.firstIndex(of: "="), equals > assignment.startIndex else {
            throw .usage("\(option) wants NAME=VALUE")
        }
        let key = try AttributeWord.key(String(assignment[..<equals]))
        try add(key, String(assignment[assignment.index(after: equals)...]))
    }
}
