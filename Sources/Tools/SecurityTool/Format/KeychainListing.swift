/// Paths of keychains as `list-keychains`, `default-keychain` and `login-keychain` print them.
///
/// Scripts cut them out of the quotes.
enum KeychainListing {
    /// A line for each, and nothing for none.
    static func text(_ paths: [String]) -> String { paths.map { "    \"\(Printable.text($0))\"\n" }.joined() }
}
