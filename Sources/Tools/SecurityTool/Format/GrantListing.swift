import ChatelaineModel

/// Shows the grants in file keychains by grantee, for people and in JSON.
struct GrantListing {
    private var grantees: [Grantee] = []
    private var grants: [Grantee: [(item: KeychainItem, grant: AccessGrant)]] = [:]

    mutating func add(_ access: AccessObject, of item: KeychainItem) {
        for grant in access.grants(of: item.item.itemClass) {
            if grants[grant.grantee] == nil { grantees.append(grant.grantee) }
            grants[grant.grantee, default: []].append((item, grant))
        }
    }

    func show(in context: ToolContext, asJSON: Bool) throws(OutputError) {
        if asJSON { try writeJSON(context) } else { try context.output.write(text) }
    }

    /// Each grantee, with its items indented below.
    private var text: String {
        grantees.map { grantee in
            let rows = grants[grantee, default: []].map { entry in
                let itemClass = entry.item.item.itemClass
                let rights = entry.grant.rights.map { AccessGrant.word($0, of: itemClass) }.joined(separator: ", ")
                return [
                    rights.isEmpty ? "asked about" : rights, Printable.text(entry.item.path),
                    KeychainItemDescription.title(entry.item),
                ]
            }
            return Self.title(grantee) + "\n" + Columns.aligned(rows, indent: "    ")
        }.joined()
    }

    private static func title(_ grantee: Grantee) -> String {
        switch grantee {
        case .program(let application): "\(Printable.text(application.path.text)): \(application.sentence)"
        case .partition(let partition): "\(partition.sentence), by the partition \(Printable.text(partition.text))"
        case .everybody, .processes: AccessSentences.name(grantee)
        }
    }

    private func writeJSON(_ context: ToolContext) throws(OutputError) {
        var json = JSONWriter()
        json.beginArray()
        for grantee in grantees {
            json.newline()
            json.beginObject()
            grantee.write(to: &json)
            json.key("items")
            json.beginArray()
            for (item, grant) in grants[grantee, default: []] {
                json.beginObject()
                ItemDescription(item: item.item, hasGroup: false).writeAttributes(to: &json)
                json.key("keychain")
                json.value(item.path)
                json.key("persistentRef")
                json.value(Hexadecimal.text(of: item.reference.bytes))
                json.key("rights")
                json.beginArray()
                for right in grant.rights { json.value(AccessGrant.word(right, of: item.item.itemClass)) }
                json.endArray()
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
        if !grantees.isEmpty { json.end() }
        json.endArray()
        json.end()
        try json.flush(to: context.output)
    }
}
