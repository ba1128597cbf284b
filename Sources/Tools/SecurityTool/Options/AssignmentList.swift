import ChatelaineModel

/// Pairs of a dictionary in the making; each attribute once.
struct AssignmentList {
    private var given: [(key: String, value: QueryValue)] = []

    /// What was given. A protection class beside an access control is that of the access control, which has no other place.
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
