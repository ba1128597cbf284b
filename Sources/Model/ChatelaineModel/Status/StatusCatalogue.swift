/// Names and sentences of every status code that Apple's Security may return.
///
/// It is the one place that turns a number into words: `SecCopyErrorMessageString` and `security error` both ask here.
/// The rows lie in generated static tables, ascending by code, and are searched in place, so that nothing is built at
/// program start. The words are in `Tools/data/status-messages.tsv`.
package enum StatusCatalogue {
    /// One code with the name that is shown for it; a tuple of literals, so that a table needs no code to be made.
    typealias Row = (code: Int32, name: StaticString, message: StaticString)

    /// Returns what is known of a code, or nil for a code that Apple's headers do not define.
    package static func entry(for code: Int32) -> Entry? {
        guard let table = tables.first(where: { $0.last.map { code <= $0.code } ?? false }) else { return nil }
        var low = 0
        var high = table.count
        while low < high {
            let middle = low + (high - low) / 2
            if table[middle].code < code { low = middle + 1 } else { high = middle }
        }
        guard low < table.count, table[low].code == code else { return nil }
        return Entry(table[low])
    }

    /// Returns the code of a name such as `errSecItemNotFound`, aliases included; upper and lower case are told apart.
    package static func code(named name: String) -> Int32? {
        for table in tables {
            if let row = table.first(where: { equal($0.name, name) }) { return row.code }
        }
        return aliases.first { equal($0.name, name) }?.code
    }

    /// Every known code, ascending.
    package static var codes: [Int32] {
        tables.flatMap { $0.map(\.code) }
    }

    /// Compares without making a `String` of each row.
    static func equal(_ literal: StaticString, _ text: String) -> Bool {
        literal.withUTF8Buffer { $0.elementsEqual(text.utf8) }
    }
}
