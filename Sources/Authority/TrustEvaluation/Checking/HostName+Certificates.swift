import ChatelaineModel
import X509

/// What a program connects to, compared with what a certificate names (RFC 6125). A common name is no host name here.
extension HostName {
    func isNamed(by names: [GeneralName]) -> Bool {
        names.contains { name in
            switch (self, name) {
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
}
