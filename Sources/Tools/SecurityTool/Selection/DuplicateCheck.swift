import ChatelaineModel

/// Checks whether an item exists already, before its secret is typed; the addition itself decides.
struct DuplicateCheck {
    let context: ToolContext

    /// Throws `errSecDuplicateItem` if the item exists, and any error of the search.
    ///
    /// - Parameter pairs: the item to add.
    func run(_ pairs: [(key: String, value: QueryValue)], _ itemClass: ItemClass) throws {
        let unique = Set(AttributeSchema.of(itemClass).uniqueKeys.map(\.name) + ["agrp", "vwht", "tkid"])
        var search = pairs.filter { unique.contains($0.key) }
        search.append(("sync", pairs.first { $0.key == "sync" }?.value ?? .number(0)))
        search += [
            ("class", .text(itemClass.name)), ("m_Limit", .text("m_LimitAll")), ("r_Attributes", .number(1)),
        ]
        let found: [FoundItem]
        do throws(KeychainError) {
            found = try context.keychain.find(try QueryParser.query(search, for: .find))
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return
        }
        let given = Set(search.map(\.key))
        let group = given.contains("agrp") ? nil : try ownGroup()
        guard found.contains(where: { Self.isSame($0, given: given, group: group) }) else { return }
        throw KeychainError(.duplicateItem, "the item is there already; security item update changes it")
    }

    /// The group of an item that names none (behaviour/access-groups.md, 2).
    private func ownGroup() throws -> AttributeValue? {
        guard case .text(let group)? = try context.keychain.status()["caller.group"] else { return nil }
        return .text(group)
    }

    /// Whether the parts of the unique key that are not given are missing in the item too.
    private static func isSame(_ item: FoundItem, given: Set<String>, group: AttributeValue?) -> Bool {
        let schema = AttributeSchema.of(item.itemClass)
        let attributes = item.attributes
        if let group, let its = attributes[.accessGroup], its != group { return false }
        return schema.uniqueKeys.allSatisfy { key in
            guard !given.contains(key.name), let value = attributes[key] else { return true }
            return value == schema.uniqueDefault(for: key)
        }
    }
}
