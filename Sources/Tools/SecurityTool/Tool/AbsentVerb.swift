/// A verb of macOS's `security` that does not exist here, and what replaces it.
struct AbsentVerb: Sendable {
    let name: String
    /// The end of a sentence: “use …”, or why nothing replaces it.
    let answer: String

    /// The verb of this name; nil for any other word.
    static func named(_ word: String) -> AbsentVerb? {
        for (answer, names) in table {
            if names.split(separator: " ").contains(where: { $0 == word }) {
                return AbsentVerb(name: word, answer: answer)
            }
        }
        return nil
    }

    static var names: [String] { table.flatMap { $0.names.split(separator: " ").map(String.init) } }

    /// Words after “use” in an answer are verbs of this tool, which a test verifies.
    private static let table: [(answer: String, names: String)] = [
        (
            "no verb does that: file keychains are made by security create-keychain",
            "recode-keychain create-db create-filevaultmaster-keychain"
        ),
        (
            "no verb does that yet, and no call of the library",
            "requirement-evaluate create-key-loop"
        ),
        ("no verb does that yet: there are no smart cards", "list-smartcards export-smartcard smartcards"),
        ("no verb does that; a log is kept instead, see man securityd", "wait-for-notifications"),
        (
            "no verb does that: it belongs to macOS itself",
            "authorize authorizationdb execute-with-privileges install-mds leaks translocate-policy-check "
                + "translocate-status-check translocate-original-path filevault platformsso"
        ),
    ]
}
