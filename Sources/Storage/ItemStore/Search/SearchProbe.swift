import ChatelaineModel

/// One indexed look-up of a search, and what the rows that it brings up must hold.
struct SearchProbe: Sendable {
    let statement: ItemStatement
    /// The digest or identifier that is looked up.
    let value: Bytes16
    /// The attributes that the query demands.
    let wanted: AttributeDemand
    /// The access group that it demands; nil where several would do.
    let group: AccessGroup?
    /// The attributes that the index vouches for, besides the group: a row with others is damaged, not merely another item.
    let indexed: [AttributeKey]

    /// Whether it is not for all that there is, as by the access group alone.
    var isOfFew: Bool { statement != .findGroup && statement != .findGroupSecret }

    /// Whether attributes are such that the index brings them up here.
    func brings(_ attributes: AttributeSet) -> Bool {
        if let group {
            guard attributes[.accessGroup]?.matches(.text(group.text)) ?? false else { return false }
        }
        return indexed.allSatisfy { key in wanted.attributes[key].flatMap { attributes[key]?.matches($0) } ?? false }
    }

    /// Whether attributes hold all that the query demands, and the group.
    func admits(_ attributes: AttributeSet) -> Bool {
        if let group {
            guard attributes[.accessGroup]?.matches(.text(group.text)) ?? false else { return false }
        }
        return wanted.isSatisfied(by: attributes)
    }
}
