import ChatelaineModel

/// The columns of keyed digests by which items are looked up.
enum SearchColumn: Int, CaseIterable {
    /// The usual query: account and service, account and server, issuer and serial number.
    case pair
    /// Account, subject, or label of a key.
    case owner
    /// Service, server, or issuer.
    case place
    case label
    /// Generic attribute, application tag, or public key hash.
    case tag

    func statement(secret: Bool) -> ItemStatement {
        switch self {
        case .pair: secret ? .findPairSecret : .findPair
        case .owner: secret ? .findOwnerSecret : .findOwner
        case .place: secret ? .findPlaceSecret : .findPlace
        case .label: secret ? .findLabelSecret : .findLabel
        case .tag: secret ? .findTagSecret : .findTag
        }
    }
}
