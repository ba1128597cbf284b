import ChatelaineModel

/// One indexed look-up of a search, with the demands on the rows that it finds.
struct SearchProbe: Sendable {
    let statement: ItemStatement
    /// The digest or identifier that is looked up.
    let value: Bytes16
    /// The attributes that the query demands.
    let wanted: AttributeDemand
    /// The access group that the query demands; nil where several are allowed.
    let group: AccessGroup?
    /// The attributes that the index ensures, besides the group: a row with others is damaged, and not merely another
    /// item.
    let indexed: [AttributeKey]

    /// Whether the look-up leads to few rows; one by the access group alone does not.
    var isOfFew: Bool { statement != .findGroup && statement != .findGroupSecret }

    /// Whether the index leads from the look-up's value to a row with these attributes.
    func brings(_ attributes: AttributeSet) -> Bool {
        if let group {
            guard attributes[.accessGroup]?.matches(.text(group.text)) ?? false else { return false }
        }
        return indexed.allSatisfy { key in wanted.attributes[key].flatMap { attributes[key]?.matches($0) } ?? false }
    }

    /// Whether attributes satisfy the query, and belong to the group.
    func admits(_ attributes: AttributeSet) -> Bool {
        if let group {
            guard attributes[.accessGroup]?.matches(.text(group.text)) ?? false else { return false }
        }
        return wanted.isSatisfied(by: attributes)
    }
}
