import ChatelaineMemory
import ChatelaineModel
import Testing

/// Tests of the shape of results (behaviour/finding.md, 15 to 24; behaviour/adding.md, 13 and 14).
struct ResultTreeTests {
    static func items(secret: [UInt8]? = [4, 5]) -> [FoundItem] {
        [ItemClass.genericPassword, .internetPassword].map { itemClass in
            var item = Samples.found
            item.itemClass = itemClass
            item.secret = secret.map { SecretBytes($0) }
            return item
        }
    }

    static func keys(_ tree: ResultTree?) -> Set<String>? {
        guard case .dictionary(let pairs) = tree else { return nil }
        return Set(pairs.map(\.key))
    }

    static let attributeKeys = Set(Samples.attributes.entries.map(\.key.name) + ["pdmn", "accc", "sync"])

    @Test(arguments: 0..<16, [MatchLimit.one, .count(2), .all])
    func shape(_ returns: Int, _ limit: MatchLimit) throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.returns = ReturnTypes(rawValue: UInt8(returns))
        query.limit = limit
        let tree = ResultTree.shape(Self.items(), for: query)
        let types = query.returns
        if types.isEmpty {
            if limit == .one { return #expect(tree == nil) }
            guard case .array(let empty)? = tree else { return #expect(Bool(false), "an empty array") }
            return #expect(empty.isEmpty)
        }
        var elements: [ResultTree] = []
        if limit == .one {
            elements = [try #require(tree)]
        } else if case .array(let array) = tree {
            elements = array
            #expect(array.count == 2)
        } else {
            Issue.record("a limit above one asks for an array, not \(String(describing: tree))")
        }
        for (element, item) in zip(elements, Self.items()) {
            switch (types, element) {
            case (.data, .secret(let secret)): #expect(secret == item.secret)
            case (.persistentReference, .data(let bytes)): #expect(bytes == item.persistentReference.bytes)
            case (.reference, .reference(let reference)): #expect(reference == item.persistentReference)
            case (_, .dictionary(let pairs)):
                #expect(![.data, .persistentReference, .reference].contains(types))
                var expected = Self.attributeKeys
                if types.contains(.data) { expected.insert("v_Data") }
                if types.contains(.persistentReference) { expected.insert("v_PersistentRef") }
                if types.contains(.reference) { expected.formUnion(["class", "v_Ref"]) }
                #expect(Set(pairs.map(\.key)) == expected)
                #expect(pairs.count == expected.count, "a key twice")
                for (key, value) in pairs where key == "class" {
                    guard case .text(item.itemClass.name) = value else {
                        Issue.record("\(value)")
                        continue
                    }
                }
            default: Issue.record("\(types) gave \(element)")
            }
        }
        #expect(types.includeAttributes == (Self.keys(elements.first) != nil))
    }

    @Test func itemWithoutData() throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.returns = .data
        let without = Self.items(secret: nil)
        #expect(ResultTree.shape(without, for: query) == nil, "success and nothing")
        query.limit = .all
        guard case .array(let all)? = ResultTree.shape(without + Self.items(), for: query) else {
            return #expect(Bool(false), "an array")
        }
        #expect(all.count == 2, "of those that have data")
        query.limit = .one
        guard case .data([])? = ResultTree.shape(added: without[0], for: .data) else {
            Issue.record("empty data")
            return
        }
        #expect(ResultTree.shape(added: without[0], for: []) == nil)
        query.returns = [.data, .attributes]
        #expect(Self.keys(ResultTree.shape(Self.items(secret: nil), for: query)) == Self.attributeKeys, "no secret")
        guard
            case .secret(let empty) = ResultTree.shape(
                Self.items(secret: []),
                for: {
                    var query = ItemQuery(itemClass: .genericPassword)
                    query.returns = .data
                    return query
                }())
        else {
            Issue.record("empty data is data")
            return
        }
        #expect(empty.count == 0)
    }

    @Test func valuesKeepTheirTypes() throws {
        var query = ItemQuery(itemClass: .internetPassword)
        query.returns = .attributes
        guard case .dictionary(let pairs) = ResultTree.shape(Self.items(), for: query) else {
            Issue.record("no dictionary")
            return
        }
        for (key, value) in pairs {
            switch (key, value) {
            case ("acct", .text("Jürgen")), ("svce", .data([0, 0xFF, 0x80])), ("crtr", .number(-5)),
                ("cdat", .date(-1.25)),
                ("labl", .text("")), ("pdmn", .text("akpu")), ("sync", .number(0)), ("port", .number(1 << 40)):
                break
            case ("accc", .accessControl(let control)):
                #expect(control.protection == .whenPasscodeSetThisDeviceOnly)
            default: Issue.record("\(key): \(value)")
            }
        }
    }

    /// Rows of earlier versions may have the attribute, and give their bytes (behaviour/symmetric-keys.md, 15).
    @Test func whatIsKeptInsideIsSaidByTheKeyAlone() throws {
        var attributes = AttributeSet()
        attributes[.keyClass] = .number(KeyHalf.symmetric.rawValue)
        attributes[.type] = .number(KeyAttributes.aesType)
        attributes[.keySize] = .number(256)
        var query = ItemQuery(itemClass: .key)
        query.returns = .reference
        for (isExtractable, key) in [(0, nil), (1, nil), (0, Self.kept), (1, Self.kept)] as [(Int64, KeyDescription?)] {
            attributes[.isExtractable] = .number(isExtractable)
            let item = FoundItem(
                identifier: ItemIdentifier(), itemClass: .key, accessibility: .whenUnlocked, isSynchronizable: false,
                attributes: EncodedAttributes(attributes), secret: nil, key: key)
            guard case .symmetricKey(let reference)? = ResultTree.shape([item], for: query) else {
                Issue.record("no symmetric key")
                continue
            }
            #expect(reference.bits == 256 && reference.isKeptInside == (key != nil))
        }
        // A program may have given its row the attributes of something else.
        attributes[.keySize] = nil
        let odd = FoundItem(
            identifier: ItemIdentifier(), itemClass: .key, accessibility: .whenUnlocked, isSynchronizable: false,
            attributes: EncodedAttributes(attributes), secret: nil, key: Self.kept)
        guard case .reference? = ResultTree.shape([odd], for: query) else {
            Issue.record("a key of no size")
            return
        }
    }

    private static let kept = KeyDescription(kind: .aes, custody: .symmetric, publicBytes: [])
}
