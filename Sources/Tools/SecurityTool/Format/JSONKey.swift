/// Makes the keys of JSON objects, all in one style: `lowerCamelCase`.
enum JSONKey {
    /// The key for a name whose words are separated by hyphens, dots or blanks.
    static func text(_ name: some StringProtocol) -> String {
        var result = ""
        for word in name.split(whereSeparator: { "-. ".contains($0) }) {
            result += result.isEmpty ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }
        return result
    }
}
