/// The names and messages of every status code that Apple's Security may return.
///
/// Nothing else turns a code into words: `SecCopyErrorMessageString` and `security error` both use it. The rows lie in
/// generated static tables, ascending by code, and are searched in place, so that program start builds nothing. The
/// words are in `Tools/data/status-messages.tsv`.
package enum StatusCatalogue {
    /// A code with its name and message; a tuple of literals, so that a table is static data.
    typealias Row = (code: Int32, name: StaticString, message: StaticString)

    /// The entry of a code; nil for a code that Apple's headers do not define.
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

    /// The code of a name or alias such as `errSecItemNotFound`, matched with case.
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
