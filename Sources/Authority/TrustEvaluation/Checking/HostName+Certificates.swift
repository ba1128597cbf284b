import ChatelaineModel
import X509

/// Compares the host that a program connects to with the names in a certificate (RFC 6125).
///
/// A common name is no host name here.
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

    /// A star stands for exactly one label, is the whole first label, and is followed by at least two labels.
    private static func matches(_ labels: [Substring], _ pattern: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return Self.labels(pattern) == labels }
        guard let rest = Self.labels(String(pattern.dropFirst(2))), rest.count >= 2 else { return false }
        return labels.count == rest.count + 1 && Array(labels.dropFirst()) == rest
    }
}
