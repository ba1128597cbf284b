import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// The files of a store reveal nothing of its items.
@Suite struct ConfidentialityTests {
    @Test func nothingOfAnItemIsReadableInTheFiles() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        let words = [
            "svc-zebra", "acc-zebra", "label-zebra", "comment-zebra", "secret-zebra", "group-zebra", "generic-zebra",
            "view-zebra", "newlabel-zebra", "newsecret-zebra", "host-zebra",
        ]
        let number: Int64 = 0x1234_5678_9ABC
        let item = NewItem.password(words[0], words[1], secret: words[4]).with {
            $0.attributes[.label] = .text(words[2])
            $0.attributes[.comment] = .text(words[3])
            $0.attributes[.generic] = .data(Array(words[6].utf8))
            $0.attributes[.viewHint] = .text(words[7])
            $0.attributes[.creator] = .number(number)
            $0.isSynchronizable = true
        }
        try store.add(item, group: AccessGroup(words[5]))
        try store.add(.internet(words[10], words[1], secret: words[4]), group: AccessGroup(words[5]))
        var change = ItemChange()
        change.attributes[.label] = .text(words[8])
        change.secret = SecretBytes(words[9].utf8)
        let query = ItemQuery.password(words[0]).with { $0.synchronizable = .any }
        try store.update(query, change, groups: [AccessGroup(words[5])], request: .fresh())
        try store.delete(query, groups: [AccessGroup(words[5])], request: .fresh())
        let bytes = try fixture.bytesOnDisk()
        #expect(bytes.count > 10_000)
        for word in words {
            #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)")
            #expect(bytes.range(of: Data(word.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })) == nil)
        }
        for data in [withUnsafeBytes(of: number.bigEndian) { Data($0) }, withUnsafeBytes(of: number) { Data($0) }] {
            #expect(bytes.range(of: data.filter { $0 != 0 }) == nil)
        }
        // The search would find the texts if they were there.
        #expect(bytes.range(of: Data("CREATE TABLE items".utf8)) != nil)
    }

    @Test func digestsDifferByPurposeGroupClassAttributeAndKey() throws {
        let digests = StoreDigests(FakeKeySource.random())
        var attributes = AttributeSet()
        attributes[.account] = .text("x")
        attributes[.service] = .text("x")
        func search(
            _ keys: [AttributeKey], of itemClass: ItemClass = .genericPassword, in group: AccessGroup = "x",
            by digests: StoreDigests = digests
        ) -> Bytes16? {
            StoreDigests.Terms(keys, attributes, of: itemClass).map { digests.search($0, in: group) }
        }
        let all: [Bytes16?] = [
            digests.group("x"), search([.account]), search([.service]), search([.account, .service]),
            search([.account], of: .internetPassword), search([.account], in: "y"),
            search([.account], by: StoreDigests(FakeKeySource.random())),
        ]
        #expect(Set(all.compactMap { $0 }).count == all.count)
        let unique = digests.unique(attributes, of: .genericPassword, group: "x", isSynchronizable: false)
        #expect(unique.count == 32)
        #expect(unique != digests.unique(attributes, of: .genericPassword, group: "x", isSynchronizable: true))
        #expect(search([.label]) == nil)
    }

    @Test func metadataIsMatchedAsItsValuesAre() throws {
        var attributes = AttributeSet()
        attributes[.account] = .text("ann")
        attributes[.generic] = .data(Array("ann".utf8))
        attributes[.port] = .number(443)
        attributes[.creationDate] = .date(1.5)
        attributes[.comment] = .text(String(repeating: "y", count: 300))
        attributes[.accessGroup] = .text("group")
        let content = ItemMetadata(secretVersion: 7, attributes: attributes).encode()
        let values: [AttributeValue] = [
            .text("ann"), .data(Array("ann".utf8)), .number(443), .date(1.5), .text("anna"), .text("ANN"), .text(""),
            .number(0),
            .text(String(repeating: "y", count: 300)), .data(Array(repeating: 0x79, count: 300)),
        ]
        for key in [AttributeKey.account, .generic, .port, .creationDate, .comment, .label, .service] {
            for value in values {
                var wanted = AttributeSet()
                wanted[key] = value
                let found = try examine(content, wanted)
                #expect(found.secretVersion == 7)
                #expect(found.isMatch == AttributeDemand(wanted).isSatisfied(by: attributes), "\(key.name) \(value)")
                for group in ["group", "another"] as [AccessGroup] {
                    #expect(try examine(content, wanted, group).isMatch == (found.isMatch && group == "group"))
                }
                var query = ItemQuery(itemClass: .internetPassword)
                query.attributes = wanted
                query.ignoresCase = true
                let inAnyCase = AttributeDemand(query)
                #expect(
                    try content.withUnsafeBytes {
                        try ItemMetadata.examine($0, for: inAnyCase, group: nil, takesCertificate: false).isMatch
                    }
                        == inAnyCase.isSatisfied(by: attributes), "\(key.name) \(value)")
                wanted.merge(attributes)
                #expect(try examine(content, wanted).isMatch == AttributeDemand(wanted).isSatisfied(by: attributes))
            }
        }
    }

    private func examine(
        _ content: SecretBytes, _ wanted: AttributeSet, _ group: AccessGroup? = nil
    ) throws -> ItemMetadata.Finding {
        try content.withUnsafeBytes {
            try ItemMetadata.examine($0, for: AttributeDemand(wanted), group: group, takesCertificate: true)
        }
    }
}
