/// Keys of JSON objects, all in one style: `lowerCamelCase`.
enum JSONKey {
    /// A name of words that hyphens, dots or blanks part.
    static func text(_ name: some StringProtocol) -> String {
        var result = ""
        for word in name.split(whereSeparator: { "-. ".contains($0) }) {
            result += result.isEmpty ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }
        return result
    }
}
