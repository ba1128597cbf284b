import Glibc

/// The host to which a program connects: a name or an address, in a form in which all spellings are equal.
package enum HostName: Hashable, Sendable {
    /// Four or sixteen bytes.
    case address([UInt8])
    /// The labels of a name, in lower case.
    case labels([Substring])

    /// Nil for a text that is neither a host name nor an address.
    package init?(_ text: String) {
        guard Self.isPlain(text) else { return nil }
        if let address = Self.address(text) {
            self = .address(address)
        } else if let labels = Self.labels(text) {
            self = .labels(labels)
        } else {
            return nil
        }
    }

    /// The labels of a name: letters, digits, hyphens and underscores between dots. One dot may end the name.
    package static func labels(_ text: String) -> [Substring]? {
        guard isPlain(text) else { return nil }
        var text = text.lowercased()
        if text.hasSuffix(".") { text.removeLast() }
        guard 1...253 ~= text.utf8.count else { return nil }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let areGood = labels.allSatisfy { label in
            1...63 ~= label.utf8.count
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
        return areGood ? labels : nil
    }

    /// Whether a text is printable ASCII without blanks.
    ///
    /// C functions read up to a NUL only, and some letters of other scripts have an ASCII letter as their lowercase.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x21...0x7E ~= $0 } }

    /// The bytes of an address; brackets, as in a URL, may enclose an IPv6 address.
    private static func address(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        return inet_pton(AF_INET6, bare, &bytes) == 1 ? bytes : nil
    }
}

/// The name in a policy or a setting, compared like the names of certificates: all its spellings are equal.
package enum TrustName: Hashable, Sendable {
    case host(HostName)
    /// An e-mail address, or a text that is no host name: in lower case, without a final dot.
    case other(String)

    package init(_ text: String) {
        if let host = HostName(text) {
            self = .host(host)
        } else {
            let small = text.lowercased()
            self = .other(small.hasSuffix(".") ? String(small.dropLast()) : small)
        }
    }
}
