import ChatelaineSystem

/// The names and messages of every status code that Apple's Security may return.
///
/// Nothing else turns a code into words: `SecCopyErrorMessageString` and `security error` both use it. The rows lie in
/// generated static tables, ascending by code, and are searched in place, so that program start builds nothing. The
/// words are in `Tools/data/status-messages.tsv`.
package enum StatusCatalogue {
    /// A code with its name and message; a tuple of literals, so that a table is static data.
    typealias Row = (code: Int32, name: StaticString, message: StaticString)

    /// The text of a code, as `SecCopyErrorMessageString` gives it; it names a code that Apple's headers do not define.
    ///
    /// The text of an error number of the system (``Status/system(_:)``) is that of the C library, in Apple's frame.
    package static func message(of code: Int32) -> String {
        if let entry = entry(for: code) { return entry.message }
        guard let number = Status(rawValue: code).systemError else { return "OSStatus \(code)" }
        return "UNIX[\(Errno(number))]"
    }

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
