import ChatelaineModel

/// The attributes of a class that each search column covers.
struct SearchSchema: Sendable {
    /// The columns in the order of preference: those that leave the fewest rows come first.
    let columns: [(column: SearchColumn, keys: [AttributeKey])]

    static func of(_ itemClass: ItemClass) -> SearchSchema {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key, .identity: key
        }
    }

    private static let genericPassword = SearchSchema(columns: [
        (.pair, [.account, .service]), (.owner, [.account]), (.label, [.label]), (.tag, [.generic]),
        (.place, [.service]),
    ])

    /// An account name often serves on many servers, so that the server comes before the account.
    private static let internetPassword = SearchSchema(columns: [
        (.pair, [.account, .server]), (.place, [.server]), (.label, [.label]), (.owner, [.account]),
    ])

    private static let certificate = SearchSchema(columns: [
        (.pair, [.issuer, .serialNumber]), (.tag, [.publicKeyHash]), (.owner, [.subject]), (.label, [.label]),
        (.place, [.issuer]),
    ])

    private static let key = SearchSchema(columns: [
        (.owner, [.applicationLabel]), (.tag, [.applicationTag]), (.label, [.label]),
    ])
}
