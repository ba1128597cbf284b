/// Codes of four characters that an attribute holds, and the words that stand for them on the command line and in JSON.
///
/// Both are understood; words are shown. A code that is none of these is refused, since it is a slip of the hand nearly always
/// and would be an item that no other program finds; `text:` before it says that it is meant.
struct CodeWords: Sendable {
    let entries: [(word: String, code: String)]

    var words: [String] { entries.map(\.word) }

    /// The code of a word or of the code itself; nil for any other.
    func code(_ text: String) -> String? { entries.first { $0.word == text || $0.code == text }?.code }

    /// The word for a code; nil for any other.
    func word(of code: String) -> String? { entries.first { $0.code == code }?.word }

    /// The codes of an attribute with this key; nil for other attributes.
    static func of(_ key: String) -> CodeWords? {
        switch key {
        case "ptcl": protocols
        case "atyp": authenticationTypes
        default: nil
        }
    }

    /// `kSecAttrProtocol…`, and those that only `SecProtocolType` has.
    static let protocols = CodeWords(entries: [
        ("http", "http"), ("https", "htps"), ("http-proxy", "htpx"), ("https-proxy", "htsx"), ("ssh", "ssh "),
        ("ftp", "ftp "), ("ftps", "ftps"), ("ftp-account", "ftpa"), ("ftp-proxy", "ftpx"), ("imap", "imap"),
        ("imaps", "imps"), ("smtp", "smtp"), ("pop3", "pop3"), ("pop3s", "pops"), ("ldap", "ldap"), ("ldaps", "ldps"),
        ("smb", "smb "), ("cifs", "cifs"), ("afp", "afp "), ("appletalk", "atlk"), ("nntp", "nntp"), ("nntps", "ntps"),
        ("irc", "irc "), ("ircs", "ircs"), ("telnet", "teln"), ("telnets", "tels"), ("socks", "sox "),
        ("rtsp", "rtsp"), ("rtsp-proxy", "rtsx"), ("daap", "daap"), ("eppc", "eppc"), ("ipp", "ipp "),
        ("svn", "svn "), ("cvs-pserver", "cvsp"),
    ])

    /// `kSecAttrAuthenticationType…`.
    static let authenticationTypes = CodeWords(entries: [
        ("default", "dflt"), ("http-basic", "http"), ("http-digest", "httd"), ("html-form", "form"), ("ntlm", "ntlm"),
        ("msn", "msna"), ("dpa", "dpaa"), ("rpa", "rpaa"),
    ])
}
