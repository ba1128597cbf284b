import ChatelaineModel

/// Describes an item of a file keychain for people and in JSON: its place, its content, and who may use it.
struct KeychainItemDescription {
    let item: KeychainItem
    /// Nil while the keychain is locked.
    let access: AccessObject?
    let standing: AccessSentences.Standing

    /// The title for people: the label, or else service or server, and the account.
    static func title(_ item: KeychainItem) -> String {
        let description = ItemDescription(item: item.item, hasGroup: false)
        let name = ["labl", "svce", "srvr"].lazy.compactMap(description.cell).first ?? "item"
        return name + (description.cell("acct").map { " (\($0))" } ?? "")
    }

    /// The lines of aligned names and values, then the sentences.
    var block: String {
        var rows = ItemDescription(item: item.item, hasGroup: false).attributeRows
        rows.append(["keychain", Printable.text(item.path)])
        rows.append(["verified", item.isVerified ? "yes" : "no: the keychain is locked, and its file proves nothing"])
        rows.append(["persistent-ref", Hexadecimal.text(of: item.reference.bytes)])
        let sentences =
            access.map { AccessSentences(access: $0, itemClass: item.item.itemClass, standing: standing).lines }
            ?? ["Who may use it is told when its keychain is unlocked: security unlock-keychain."]
        return Columns.aligned(rows) + sentences.map { $0 + "\n" }.joined()
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        ItemDescription(item: item.item, hasGroup: false).writeAttributes(to: &json)
        json.key("keychain")
        json.value(item.path)
        json.key("verified")
        json.value(item.isVerified)
        json.key("persistentRef")
        json.value(Hexadecimal.text(of: item.reference.bytes))
        if let access {
            json.key("grants")
            json.beginArray()
            let itemClass = item.item.itemClass
            for grant in access.grants(of: itemClass) {
                json.beginObject()
                grant.write(to: &json, of: itemClass)
                json.endObject()
            }
            json.endArray()
            json.key("partitions")
            json.beginArray()
            for partition in access.partitionList?.identifiers ?? [] { json.value(partition.text) }
            json.endArray()
        }
        json.endObject()
    }
}

extension AccessGrant {
    /// Writes the keys of the grantee, and `rights`.
    ///
    /// The rights on a password are read, write and change; those on a key are sign, decrypt, derive, export, write and
    /// change. A program about which a person is asked anyway has none.
    func write(to json: inout JSONWriter, of itemClass: ItemClass) {
        grantee.write(to: &json)
        json.key("rights")
        json.beginArray()
        for right in rights { json.value(Self.word(right, of: itemClass)) }
        json.endArray()
    }

    /// The word for a right.
    static func word(_ right: ACLAuthorization, of itemClass: ItemClass) -> String {
        switch right {
        case .decrypt: itemClass == .key ? "decrypt" : "read"
        case .sign: "sign"
        case .derive: "derive"
        case .exportClear: "export"
        case .encrypt: "write"
        default: "change"
        }
    }
}

extension Grantee {
    /// Writes `kind` and the identifying keys: `program` and `identity` of a program, `partition` of a partition.
    func write(to json: inout JSONWriter) {
        json.key("kind")
        switch self {
        case .program(let application):
            json.value(application.kind)
            json.key("program")
            json.value(application.path.text)
            switch application.identity {
            case .securityTool: break
            case .identifier(let identifier):
                json.key("identity")
                json.value(identifier.text)
            case .digest(let digest):
                json.key("identity")
                json.value("\(digest)")
            }
            json.key("assurance")
            json.value(application.assurance.rawValue)
        case .partition(let partition):
            json.value("partition")
            json.key("partition")
            json.value(partition.text)
        case .everybody: json.value("everybody")
        case .processes(let owner):
            json.value("processes")
            if owner.rule.contains(.user) {
                json.key("user")
                json.value(Int64(owner.user))
                json.key("honorsRoot")
                json.value(owner.rule.contains(.honorsRoot))
            }
            if owner.rule.contains(.group) {
                json.key("group")
                json.value(Int64(owner.group))
            }
        }
    }
}
