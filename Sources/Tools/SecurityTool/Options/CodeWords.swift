/// The four-character codes of an attribute, and their words on the command line and in JSON.
///
/// Input may have either; output has words. An unknown code is refused, since it is nearly always a typing error, and
/// no other program would find the item. `text:` before it makes it acceptable.
struct CodeWords: Sendable {
    let entries: [(word: String, code: String)]

    var words: [String] { entries.map(\.word) }

    /// The code for a word, or for the code itself; nil for any other text.
    func code(_ text: String) -> String? { entries.first { $0.word == text || $0.code == text }?.code }

    /// The word for a code; nil for any other text.
    func word(of code: String) -> String? { entries.first { $0.code == code }?.word }

    /// The codes of the attribute with this key; nil if it has none.
    static func of(_ key: String) -> CodeWords? {
        switch key {
        case "ptcl": protocols
        case "atyp": authenticationTypes
        default: nil
        }
    }

    /// The codes of `kSecAttrProtocol…`, and those that only `SecProtocolType` has.
    static let protocols = CodeWords(entries: [
        ("http", "http"), ("https", "htps"), ("http-proxy", "htpx"), ("https-proxy", "htsx"), ("ssh", "ssh "),
        ("ftp", "ftp "), ("ftps", "ftps"), ("ftp-account", "ftpa"), ("ftp-proxy", "ftpx"), ("imap", "imap"),
        ("imaps", "imps"), ("smtp", "smtp"), ("pop3", "pop3"), ("pop3s", "pops"), ("ldap", "ldap"), ("ldaps", "ldps"),
        ("smb", "smb "), ("cifs", "cifs"), ("afp", "afp "), ("appletalk", "atlk"), ("nntp", "nntp"), ("nntps", "ntps"),
        ("irc", "irc "), ("ircs", "ircs"), ("telnet", "teln"), ("telnets", "tels"), ("socks", "sox "),
        ("rtsp", "rtsp"), ("rtsp-proxy", "rtsx"), ("daap", "daap"), ("eppc", "eppc"), ("ipp", "ipp "),
        ("svn", "svn "), ("cvs-pserver", "cvsp"),
    ])

    /// The codes of `kSecAttrAuthenticationType…`.
    static let authenticationTypes = CodeWords(entries: [
        ("default", "dflt"), ("http-basic", "http"), ("http-digest", "httd"), ("html-form", "form"), ("ntlm", "ntlm"),
        ("msn", "msna"), ("dpa", "dpaa"), ("rpa", "rpaa"),
    ])
}
