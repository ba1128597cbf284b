/// The class of an item (`kSecClass`).
package enum ItemClass: UInt8, CaseIterable, Sendable {
    case genericPassword = 1
    case internetPassword = 2
    case certificate = 3
    case key = 4
    /// A certificate and its private key as one item; an identity has no row of its own.
    case identity = 5

    /// The four characters that name the class in dictionaries and persistent references.
    package var name: String {
        switch self {
        case .genericPassword: "genp"
        case .internetPassword: "inet"
        case .certificate: "cert"
        case .key: "keys"
        case .identity: "idnt"
        }
    }

    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}
