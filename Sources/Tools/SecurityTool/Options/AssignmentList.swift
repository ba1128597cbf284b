import ChatelaineModel

/// Collects the pairs of a dictionary; each attribute may be given once.
struct AssignmentList {
    private var given: [(key: String, value: QueryValue)] = []

    /// The pairs. A protection class beside an access control becomes part of the access control.
    var pairs: [(key: String, value: QueryValue)] {
        guard let place = given.firstIndex(where: { $0.key == "accc" }),
            case .accessControl(let control) = given[place].value
        else { return given }
        var pairs = given
        if case .text(let name)? = given.first(where: { $0.key == "pdmn" })?.value,
            let protection = Accessibility(name: name)
        {
            let named = AccessControl(protection: protection, constraints: control.constraints)
            pairs[place].value = .accessControl(named)
        }
        return pairs.filter { $0.key != "pdmn" }
    }

    mutating func add(_ key: String, _ text: String) throws(ToolError) {
        guard !given.contains(where: { $0.key == key }) else {
            throw .usage("\(AttributeWord.name(of: key)) is given twice")
        }
        given.append((key, try AttributeWord.value(text, for: key)))
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
