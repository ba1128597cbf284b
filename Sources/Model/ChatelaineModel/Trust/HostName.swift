import Glibc

/// What a program connects to: a host's name or its address, in the one form in which two spellings of it are equal.
package enum HostName: Hashable, Sendable {
    /// Four or sixteen bytes.
    case address([UInt8])
    /// In small letters.
    case labels([Substring])

    /// Nil for what can be neither a host name nor an address.
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

    /// Letters, digits, hyphens and underscores between dots; one dot may stand at the end.
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

    /// Printable ASCII without blanks. C would read on until a NUL alone, and some letters of other scripts are an ASCII letter when they are small.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x21...0x7E ~= $0 } }

    /// Brackets, as in a URL, may stand around the longer ones.
    private static func address(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        return inet_pton(AF_INET6, bare, &bytes) == 1 ? bytes : nil
    }
}

/// The name in a policy or a setting, compared as certificates' names are: however it is spelled, it is one.
package enum TrustName: Hashable, Sendable {
    case host(HostName)
    /// An e-mail address, or what can be no name of a host: in small letters, without a dot at the end.
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
