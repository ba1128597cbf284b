import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A search finds exactly the items that its query describes, whichever index it uses.
@Suite struct FindTests {
    let fixture = StoreFixture()

    @Test func addsAndFindsWithWhatIsAskedFor() throws {
        let store = try fixture.open()
        let added = try store.add(.password("mail", "ann", secret: "one", returns: [.attributes, .data]))
        #expect(added.password == "one")
        #expect(added.attributes[.service] == .text("mail"))
        let data = try store.find(.password("mail", "ann", returns: .data))
        #expect(data.map(\.password) == ["one"])
        #expect(data.first?.attributes.isEmpty == true)
        let attributes = try store.find(.password("mail", "ann", returns: .attributes))
        #expect(attributes.first?.secret == nil)
        #expect(attributes.first?.attributes == added.attributes)
        #expect(attributes.first?.identifier == added.identifier)
        #expect(attributes.first?.accessibility == .whenUnlocked)
        #expect(try store.find(.password("mail", "bob")).isEmpty)
        #expect(try store.find(.password("mail", "ann")).count == 1)
    }

    @Test func everyIndexAndTheScanFindTheItem() throws {
        let store = try fixture.open()
        let item = NewItem.password("svc", "acc", secret: "s").with {
            $0.attributes[.label] = .text("label")
            $0.attributes[.generic] = .data([1, 2, 3])
            $0.attributes[.itemDescription] = .text("description")
            $0.attributes[.creator] = .number(7)
        }
        let added = try store.add(item)
        try store.add(.password("other", "other", secret: "s"))
        let parts: [(AttributeKey, AttributeValue)] = item.attributes.entries.map { ($0.key, $0.value) }
        for (key, value) in parts {
            let query = ItemQuery(itemClass: .genericPassword).with {
                $0.attributes[key] = value
                $0.limit = .all
            }
            #expect(try store.find(query).map(\.identifier) == [added.identifier], "\(key.name)")
            let different = query.with {
                $0.attributes[.itemDescription] = .text("another")
            }
            #expect(try store.find(different).isEmpty)
        }
        let all = ItemQuery(itemClass: .genericPassword).with { $0.limit = .all }
        #expect(try store.find(all).count == 2)
        #expect(try store.find(all.with { $0.limit = .one }).count == 1)
        #expect(fixture.quarantined().isEmpty)
    }

    @Test func textAndDataOfTheSameBytesAreOneValue() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "acc"))
        let asData = ItemQuery(itemClass: .genericPassword).with {
            $0.attributes[.service] = .data(Array("svc".utf8))
            $0.attributes[.account] = .data(Array("acc".utf8))
            $0.returns = [.attributes]
        }
        #expect(try store.find(asData).first?.attributes[.service] == .text("svc"))
        expect(.duplicateItem) { try store.add(.password(nil, nil).with { $0.attributes = asData.attributes }) }
        let asNumber = NewItem.password("svc").with { $0.attributes[.account] = .number(5) }
        try store.add(asNumber)
        #expect(try store.find(.password("svc", "5")).isEmpty)
        #expect(try store.find(asNumber.query).count == 1)
    }

    @Test func stringsOfAnotherNormalFormAreOtherValues() throws {
        let store = try fixture.open()
        try store.add(.password("caf\u{E9}", "a"))
        #expect(try store.find(.password("cafe\u{301}", "a")).isEmpty)
        try store.add(.password("cafe\u{301}", "a"))
    }

    @Test func groupsSeparateItemsAndHideThem() throws {
        let store = try fixture.open()
        let mine = try store.add(.password("svc", "acc", secret: "mine"))
        let foreign = try store.add(.password("svc", "acc", secret: "foreign"), group: "foreign")
        let query = ItemQuery.password("svc", "acc", returns: .data).with { $0.limit = .all }
        #expect(try store.find(query).map(\.password) == ["mine"])
        #expect(try store.find(query, groups: ["foreign", StoreFixture.group]).map(\.password) == ["foreign", "mine"])
        #expect(try store.find(query, groups: []).isEmpty)
        #expect(try store.find(query.with { $0.accessGroup = "foreign" }).isEmpty)
        let byReference = ItemQuery(itemClass: .genericPassword).with {
            $0.identifier = foreign.identifier
            $0.synchronizable = .any
        }
        #expect(try store.find(byReference).isEmpty)
        #expect(try store.find(byReference, groups: ["x", "foreign"]).count == 1)
        #expect(try store.find(byReference.with { $0.identifier = mine.identifier }).count == 1)
        #expect(try store.find(byReference.with { $0.itemClass = .internetPassword }, groups: ["foreign"]).isEmpty)
        expect(.itemNotFound) { try store.delete(byReference) }
        expect(.itemNotFound) { try store.update(byReference, ItemChange()) }
    }

    @Test func synchronizableItemsAreOtherItems() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "acc", secret: "local"))
        try store.add(.password("svc", "acc", secret: "synced").with { $0.isSynchronizable = true })
        let query = ItemQuery.password("svc", "acc", returns: .data).with { $0.limit = .all }
        #expect(try store.find(query).map(\.password) == ["local"])
        #expect(try store.find(query.with { $0.synchronizable = .synchronizable }).map(\.password) == ["synced"])
        #expect(try store.find(query.with { $0.synchronizable = .any }).count == 2)
    }

    @Test func accessibilityNarrowsASearch() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a").with { $0.accessibility = .always })
        let query = ItemQuery.password("svc")
        #expect(try store.find(query.with { $0.accessibility = .always }).count == 1)
        #expect(try store.find(query.with { $0.accessibility = .whenUnlocked }).isEmpty)
    }

    @Test func hostMatchesItselfAndWhatLiesBelow() throws {
        let store = try fixture.open()
        for server in ["example.org", "www.example.org", "notexample.org", "example.org.evil"] {
            try store.add(.internet(server, "ann"))
        }
        let query = ItemQuery(itemClass: .internetPassword).with {
            $0.host = "example.org"
            $0.limit = .all
            $0.returns = .attributes
        }
        let servers = try store.find(query).compactMap { $0.attributes[.server] }
        #expect(servers == [.text("example.org"), .text("www.example.org")])
        // The limit counts only items that match the host.
        let second = query.with {
            $0.host = "www.example.org"
            $0.limit = .one
        }
        #expect(try store.find(second).count == 1)
    }

    /// Case is ignored whichever index an exact search would use, and where it would use none.
    @Test func caseCountsForNothingWhereTheQuerySaysSo() throws {
        let store = try fixture.open()
        let item = NewItem.password("Mail.Example", "Ann").with {
            $0.attributes[.label] = .text("STRASSE")
            $0.attributes[.generic] = .text("Grün")
            $0.attributes[.comment] = .text("Plain")
            $0.attributes[.creator] = .number(7)
        }
        let added = try store.add(item)
        try store.add(.password("mail.example", "anna"))
        let others: [(AttributeKey, String)] = [
            (.service, "mail.EXAMPLE"), (.account, "aNN"), (.label, "straße"), (.generic, "GRÜN"), (.comment, "pLAIN"),
        ]
        for (key, text) in others {
            let query = ItemQuery(itemClass: .genericPassword).with {
                $0.attributes[key] = .text(text)
                $0.attributes[.creator] = .number(7)
                $0.limit = .all
            }
            #expect(try store.find(query).isEmpty, "\(key.name)")
            #expect(try store.find(query.with { $0.ignoresCase = true }).map(\.identifier) == [added.identifier])
            #expect(try store.find(query.with { $0.ignoresCase = true }, groups: ["other"]).isEmpty)
            let another = query.with {
                $0.ignoresCase = true
                $0.attributes[.creator] = .number(8)
            }
            #expect(try store.find(another).isEmpty)
        }
        let pair = ItemQuery.password("MAIL.example", "ANN").with { $0.ignoresCase = true }
        #expect(try store.find(pair).map(\.identifier) == [added.identifier])
        let whole = ItemQuery(itemClass: .genericPassword).with {
            $0.attributes[.service] = .text("MAIL.EXAMPLE")
            $0.ignoresCase = true
            $0.limit = .all
        }
        #expect(try store.find(whole).count == 2)
        #expect(try store.find(whole.with { $0.limit = .one }).count == 1)
        #expect(fixture.quarantined().isEmpty)
    }

    /// Only text has case. A search for data, numbers or codes still uses the index of the attribute.
    @Test func caseIsOfTextAlone() throws {
        let store = try fixture.open()
        try store.add(
            .internet("Example.Org", "Ann").with {
                $0.attributes[.label] = .data([0x41, 0xFF])
                $0.attributes[.protocolType] = .text("htps")
            })
        func count(_ change: (inout ItemQuery) -> Void) throws -> Int {
            try store.find(
                ItemQuery(itemClass: .internetPassword).with {
                    $0.ignoresCase = true
                    change(&$0)
                }
            ).count
        }
        #expect(try count { $0.attributes[.server] = .text("EXAMPLE.ORG") } == 1)
        #expect(try count { $0.attributes[.server] = .data(Array("EXAMPLE.ORG".utf8)) } == 0)
        #expect(try count { $0.attributes[.server] = .data(Array("Example.Org".utf8)) } == 1)
        #expect(try count { $0.attributes[.label] = .data([0x41, 0xFF]) } == 1)
        #expect(try count { $0.attributes[.label] = .data([0x61, 0xFF]) } == 0)
        #expect(try count { $0.attributes[.protocolType] = .text("HTPS") } == 0)
        #expect(try count { $0.attributes[.protocolType] = .text("htps") } == 1)
        #expect(
            try count {
                $0.attributes[.label] = .data([0x41, 0xFF])
                $0.attributes[.account] = .text("aNN")
            } == 1)
        // Matching of hosts does not change.
        #expect(try count { $0.host = "example.org" } == 0)
        #expect(
            try count {
                $0.host = "Org"
                $0.attributes[.account] = .text("ANN")
            } == 1)
    }

    /// A search that ignores case has to look at all items of the class, unless the query names a protection class.
    @Test func aLockedItemEndsASearchInAnyCase() throws {
        let store = try fixture.open()
        try store.add(.password("Open", "a", secret: "1").with { $0.accessibility = .always })
        try store.add(.password("closed", "b", secret: "2"))
        fixture.keys.state.withLock { $0.locked = [.whenUnlocked] }
        store.forgetKeys()
        let query = ItemQuery.password("OPEN", returns: .data).with {
            $0.ignoresCase = true
            $0.limit = .all
        }
        expect(.interactionNotAllowed) { _ = try store.find(query) }
        #expect(try store.find(query.with { $0.accessibility = .always }).map(\.password) == ["1"])
        // An item whose attributes match exactly is found first, and the locked item is not needed.
        let exact = ItemQuery.password("Open", returns: .data).with { $0.ignoresCase = true }
        #expect(try store.find(exact).map(\.password) == ["1"])
        expect(.interactionNotAllowed) { _ = try store.find(exact.with { $0.limit = .all }) }
    }

    @Test func theItemThatIsNamedAsItIsStoredComesFirst() throws {
        let store = try fixture.open()
        for name in ["MAIL", "Mail", "mail"] { try store.add(.password(name, "a", secret: name)) }
        for name in ["MAIL", "Mail", "mail"] {
            let query = ItemQuery.password(name, returns: .data).with { $0.ignoresCase = true }
            #expect(try store.find(query).map(\.password) == [name])
            #expect(try store.find(query.with { $0.limit = .all }).count == 3)
        }
        let other = ItemQuery.password("mAIL", returns: .data).with { $0.ignoresCase = true }
        #expect(try store.find(other).count == 1)
    }

    @Test func anIndexIsUsedWhereItsAttributesAreExact() throws {
        let store = try fixture.open()
        func probe(_ change: (inout ItemQuery) -> Void) -> ItemStatement? {
            let query = ItemQuery(itemClass: .genericPassword).with {
                $0.ignoresCase = true
                change(&$0)
            }
            let plan = SearchPlan(
                query, groups: [StoreFixture.group], digests: store.digests, wantsAttributes: false,
                wantsSecret: false, maximum: 1)
            return plan.probes.first { _ in true }?.statement
        }
        #expect(probe { $0.attributes[.account] = .text("a") } == .findGroup)
        #expect(probe { $0.attributes[.account] = .data([1]) } == .findOwner)
        #expect(
            probe {
                $0.attributes[.account] = .data([1])
                $0.attributes[.service] = .text("s")
            } == .findOwner)
        #expect(
            probe {
                $0.attributes[.account] = .data([1])
                $0.attributes[.service] = .data([2])
            } == .findPair)
        #expect(probe { $0.identifier = ItemIdentifier(Bytes16(repeating: 1)) } == .findIdentifier)
    }

    @Test func secretsMayBeMissingEmptyAndLarge() throws {
        let store = try fixture.open()
        try store.add(.password("none", "a"))
        try store.add(.password("empty", "a", secret: ""))
        #expect(try store.find(.password("none", returns: .data)).first?.secret == nil)
        #expect(try store.find(.password("empty", returns: .data)).first?.password == "")
        let large = SecretBytes([UInt8](repeating: 7, count: Limits.secretBytes))
        try store.add(.password("large", "a").with { $0.secret = large })
        #expect(try store.find(.password("large", returns: .data)).first?.secret == large)
        let tooLarge = SecretBytes([UInt8](repeating: 7, count: Limits.secretBytes + 1))
        expect(.dataTooLarge) { try store.add(.password("larger", "a").with { $0.secret = tooLarge }) }
        let comment = String(repeating: "x", count: Limits.attributeBytes)
        expect(.dataTooLarge) { try store.add(.password("c", "a").with { $0.attributes[.comment] = .text(comment) }) }
    }

    @Test func rowKeysAreAskedForInBatches() throws {
        let store = try fixture.open()
        for index in 0..<300 { try store.add(.password("svc", "\(index)", secret: "\(index)")) }
        let query = ItemQuery.password("svc", returns: .data).with { $0.limit = .all }
        #expect(try store.find(query).map(\.password) == (0..<300).map { "\($0)" })
        #expect(fixture.keys.state.withLock { $0.rowKeyRequests } == [256, 44])
        #expect(try store.find(query.with { $0.limit = .count(3) }).count == 3)
        let attributes = query.with { $0.returns = .attributes }
        #expect(try store.find(attributes).count == 300)
        #expect(fixture.keys.state.withLock { $0.rowKeyRequests } == [256, 44, 3])
    }

    @Test func aLockedRowEndsTheSearch() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "open", secret: "1").with { $0.accessibility = .always })
        try store.add(.password("svc", "closed", secret: "2"))
        fixture.keys.state.withLock { $0.locked = [.whenUnlocked] }
        store.forgetKeys()
        let query = ItemQuery.password("svc", returns: .data).with { $0.limit = .all }
        expect(.interactionNotAllowed) { _ = try store.find(query) }
        expect(.interactionNotAllowed) { _ = try store.find(query.with { $0.returns = [] }) }
        expect(.interactionNotAllowed) { try store.update(query, ItemChange()) }
        expect(.interactionNotAllowed) { try store.delete(query) }
        expect(.interactionNotAllowed) { try store.add(.password("svc", "new", secret: "x")) }
        #expect(try store.find(.password("svc", "open", returns: .data)).map(\.password) == ["1"])
        fixture.keys.state.withLock { $0.locked = [] }
        #expect(try store.find(query).count == 2)
        #expect(fixture.quarantined().isEmpty)
    }

    @Test func metadataKeysAreAskedForAgainWhenTheirGrantIsUsedUp() throws {
        fixture.keys.state.withLock { $0.sealsGranted = 2 }
        let store = try fixture.open()
        for index in 0..<3 { try store.add(.password("a", "\(index)")) }
        fixture.keys.state.withLock { $0.current = [:] }
        for index in 3..<6 { try store.add(.password("a", "\(index)")) }
        #expect(fixture.keys.state.withLock { $0.metadata.count } == 2)
        #expect(try store.find(.password("a").with { $0.limit = .all }).count == 6)
    }

    /// A list of items restricts a search to those items, whatever else the query says. Deleted items in it are passed
    /// over.
    @Test func listedItemsAreFoundByTheirIndex() throws {
        let store = try fixture.open()
        let items = try (0..<20).map { try store.add(.password("svc", "\($0)", secret: "\($0)")) }
        let elsewhere = try store.add(.password("svc", "x"), group: "other.group")
        let synced = try store.add(.password("svc", "s").with { $0.isSynchronizable = true })
        try store.delete(.password("svc", "4"))
        func query(_ indices: [Int], _ change: (inout ItemQuery) -> Void = { _ in }) -> ItemQuery {
            ItemQuery(itemClass: .genericPassword).with {
                $0.items = indices.map { items[$0].identifier } + [elsewhere.identifier, synced.identifier]
                $0.limit = .all
                $0.returns = .data
                change(&$0)
            }
        }
        #expect(try store.find(query([7, 3, 4, 3])).map(\.password) == ["7", "3"], "in order, once each")
        #expect(try store.find(query([7, 3]) { $0.attributes[.account] = .text("3") }).map(\.password) == ["3"])
        #expect(try store.find(query([4, 5, 6]) { $0.limit = .one }).map(\.password) == ["5"])
        #expect(try store.find(query([]) { $0.synchronizable = .any }).map(\.identifier) == [synced.identifier])
        #expect(try store.find(query([1]) { $0.accessibility = .always }).isEmpty)
        #expect(
            try store.find(ItemQuery(itemClass: .internetPassword).with { $0.items = [items[1].identifier] }).isEmpty)
        #expect(try store.find(.password("svc").with { $0.items = [] }).isEmpty, "no member, no item")
        var change = ItemChange()
        change.attributes[.label] = .text("listed")
        try store.update(query([1, 2, 2]), change)
        let labelled = ItemQuery(itemClass: .genericPassword).with {
            $0.attributes[.label] = .text("listed")
            $0.limit = .all
        }
        #expect(Set(try store.find(labelled).map(\.identifier)) == Set(items[1...2].map(\.identifier)))
        expect(.itemNotFound) { try store.update(query([4]), change) }
        try store.delete(query([1, 2, 1]) { $0.attributes[.label] = .text("listed") })
        expect(.itemNotFound) { try store.delete(query([1, 2])) }
        expect(.itemNotFound) { try store.delete(.password("svc").with { $0.items = [] }) }
        #expect(try store.find(.password("svc").with { $0.limit = .all }).count == 17)
    }

    @Test func theLongestListAndTheSmallestStore() throws {
        let store = try fixture.open()
        let one = try store.add(.password("svc", "a", secret: "s"))
        let query = ItemQuery(itemClass: .genericPassword).with {
            $0.items = (1..<Limits.listedItems).map { _ in ItemIdentifier() } + [one.identifier]
            $0.returns = .data
        }
        #expect(try store.find(query).map(\.password) == ["s"])
        var change = ItemChange()
        change.secret = SecretBytes("t".utf8)
        try store.update(query, change)
        try store.delete(query)
        #expect(try store.find(query).isEmpty)
    }

    /// Four of the largest secrets fit into one result and five do not, but the attributes of five do.
    @Test func oneResultHasALimit() throws {
        let store = try fixture.open()
        let largest = SecretBytes(count: Limits.secretBytes) { _ in }
        for index in 0..<5 { try store.add(.password("large", "\(index)").with { $0.secret = largest }) }
        let four = ItemQuery.password("large", returns: .data).with { $0.limit = .count(4) }
        #expect(try store.find(four).count == 4)
        expect(.dataTooLarge) { _ = try store.find(four.with { $0.limit = .all }) }
        let attributes = ItemQuery.password("large", returns: .attributes).with { $0.limit = .all }
        #expect(try store.find(attributes).count == 5)
    }
}
