import Glibc
import X509

/// What a program connects to, compared with what a certificate names (RFC 6125). A common name is no host name here.
struct HostName {
    private enum Form {
        case address([UInt8])
        /// In small letters.
        case labels([Substring])
    }

    private let form: Form

    /// Nil for what can be neither a host name nor an address.
    init?(_ text: String) {
        if let address = Self.address(text) {
            form = .address(address)
        } else if let labels = Self.labels(text) {
            form = .labels(labels)
        } else {
            return nil
        }
    }

    func isNamed(by names: [GeneralName]) -> Bool {
        names.contains { name in
            switch (form, name) {
            case (.address(let address), .ipAddress(let named)): named.bytes.elementsEqual(address)
            case (.labels(let labels), .dnsName(let pattern)): Self.matches(labels, pattern)
            default: false
            }
        }
    }

    /// A star stands for one label, is all of the first, and has two more after it at least.
    private static func matches(_ labels: [Substring], _ pattern: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return Self.labels(pattern) == labels }
        guard let rest = Self.labels(String(pattern.dropFirst(2))), rest.count >= 2 else { return false }
        return labels.count == rest.count + 1 && Array(labels.dropFirst()) == rest
    }

    /// Letters, digits, hyphens and underscores between dots; one dot may stand at the end.
    private static func labels(_ text: String) -> [Substring]? {
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

    /// Four or sixteen bytes. Brackets, as in a URL, may stand around the longer ones.
    private static func address(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        return inet_pton(AF_INET6, bare, &bytes) == 1 ? bytes : nil
    }
}
