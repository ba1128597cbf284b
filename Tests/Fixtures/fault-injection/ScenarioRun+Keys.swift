import ChatelaineMemory
import ChatelaineModel
import InProcess
import ItemStore

/// Operations on key pairs. A private key is checked by a signature; a key of the enclave needs no worker.
extension ScenarioRun {
    private static func half(_ half: KeyHalf, _ name: String) -> NewItem {
        var item = NewItem(itemClass: .key)
        item.keyKind = .ec
        item.attributes[.keyClass] = .number(half.rawValue)
        item.attributes[.applicationTag] = .text(name)
        if half == .privateKey { item.attributes[.tokenID] = .text(NewItem.enclaveToken) }
        return item
    }

    private static func pair(_ name: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .key)
        query.attributes[.applicationTag] = .text(name)
        return query
    }

    /// Makes a key pair: both keys exist afterwards, or neither.
    func makeKeys(_ name: String) {
        let pair = NewKeyPair(
            kind: .ec, bits: 256, privateKey: Self.half(.privateKey, name), publicKey: Self.half(.publicKey, name))
        change(
            "make \(name)",
            {
                $0.items["\(name), private"] = Item(secret: Home.signs, label: "")
                $0.items["\(name), public"] = Item(secret: Home.isPublic, label: "")
            }
        ) { (store, request) throws(KeychainError) in
            _ = try store.makeKey(pair, groups: (Home.group, Home.group), request: request)
        }
    }

    /// Changes the label of a pair; the private key is sealed anew for its new place.
    func moveKeys(_ name: String, label: String) {
        var change = ItemChange()
        change.accessibility = .afterFirstUnlock
        change.attributes[.label] = .text(label)
        self.change(
            "move \(name)",
            { for half in ["private", "public"] { $0.items["\(name), \(half)"]?.label = label } }
        ) { (store, request) throws(KeychainError) in
            try store.update(Self.pair(name), change, groups: [Home.group], request: request)
        }
    }

    func deleteKeys(_ name: String) {
        change(
            "delete \(name)", { for half in ["private", "public"] { $0.items["\(name), \(half)"] = nil } }
        ) { (store, request) throws(KeychainError) in
            try store.delete(Self.pair(name), groups: [Home.group], request: request)
        }
    }
}

extension InProcessHome {
    static let signs = "signs"
    static let isPublic = "65 bytes"
    private static let signing = KeyTask.sign(
        algorithm: "algid:sign:ECDSA:digest-X962", [UInt8](repeating: 1, count: 32))

    /// Finds all keys by tag and half; each private key has signed.
    func keys() throws(KeychainError) -> [String: Item] {
        var query = ItemQuery(itemClass: .key)
        query.limit = .all
        query.returns = [.data, .attributes]
        var keys: [String: Item] = [:]
        for found in try opened().find(query, groups: [Self.group]) {
            guard case .text(let name)? = found.attributes[.applicationTag], let key = found.key else {
                throw KeychainError(.decode, "an item of class key without a tag or a key")
            }
            var label = ""
            if case .text(let text)? = found.attributes[.label] { label = text }
            guard key.custody != nil else {
                keys["\(name), public"] = Item(secret: "\(found.secret?.count ?? 0) bytes", label: label)
                continue
            }
            let signature = try opened().useKey(found.identifier, Self.signing, groups: [Self.group])
            keys["\(name), private"] = Item(
                secret: found.secret == nil && signature.count > 60 ? Self.signs : "is given out", label: label)
        }
        return keys
    }
}
