import CChatelaineFoundation
import ChatelaineModel
import Foundation
import Testing

@testable import ChatelaineCInterface
@testable import Security

/// Tests of dictionaries that reach the C interface from programs that also contain Swift.
struct ForeignDictionaryTests {
    private let control = SecAccessControl(AccessControl(protection: .afterFirstUnlock))
    private let item = SecKeychainItem(
        PersistentReference(itemClass: .internetPassword, identifier: ItemIdentifier(Bytes16(repeating: 0x5A))))

    /// Objects of Swift's classes, some unknown to CoreFoundation.
    private var objects: [(String, AnyObject)] {
        [
            ("class", kSecClassGenericPassword), ("acct", NSString(string: "Grüße, 🗝️")),
            ("svce", NSMutableString(string: "plain")), ("gena", NSData(data: Data([0, 255]))),
            ("port", NSNumber(value: 443)), ("invi", NSNumber(value: true)), ("crtr", NSNumber(value: 2.5)),
            ("cdat", NSDate(timeIntervalSinceReferenceDate: 7)), ("accc", control), ("desc", NSNull()),
            ("agrp", NSUUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? NSUUID()), ("icmt", NSArray()),
            ("v_Ref", item),
            ("m_ItemList", NSArray(array: [item, NSData(data: Data(item.reference.bytes)), "text", [1]])),
            ("v_Data", NSData(data: Data(repeating: 7, count: 1000))),
        ]
    }

    private func pairs(_ dictionary: UnsafeRawPointer) throws -> [String: String] {
        let pairs = try ForeignDictionary.pairs(of: dictionary)
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, "\($0.value)") })
    }

    private var expected: [String: String] {
        get throws {
            let dictionary = NSMutableDictionary()
            for (key, object) in objects { dictionary.setObject(object, forKey: NSString(string: key)) }
            let pairs = try QueryDictionary.pairs(of: dictionary)
            return Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, "\($0.value)") })
        }
    }

    @Test func dictionaryOfSwiftIsReadBySwift() throws {
        let dictionary = NSMutableDictionary()
        for (key, object) in objects { dictionary.setObject(object, forKey: NSString(string: key)) }
        let read = try withExtendedLifetime(dictionary) {
            try pairs(UnsafeRawPointer(Unmanaged.passUnretained(dictionary).toOpaque()))
        }
        #expect(try read == expected)
        #expect(read.count == objects.count)
    }

    @Test func dictionaryOfCMayHoldObjectsOfSwift() throws {
        var keys = objects.map { UnsafeRawPointer?(Unmanaged.passRetained(NSString(string: $0.0)).toOpaque()) }
        var values = objects.map { UnsafeRawPointer?(Unmanaged.passRetained($0.1).toOpaque()) }
        let dictionary = try #require(chatelaine_make_dictionary(&keys, &values, keys.count))
        defer { chatelaine_release(dictionary) }
        #expect(try pairs(dictionary) == expected)
    }

    @Test func objectOfOurTypeComesBack() throws {
        let object = try ForeignResult.make(.accessControl(control.control))
        defer { chatelaine_release(object) }
        #expect(BoxType.accessControl.content(of: object) == control)
        #expect(BoxType.accessControl.identifier == accessControlGetTypeID())
        let text = try ForeignResult.make(.text("no box"))
        defer { chatelaine_release(text) }
        #expect(BoxType.accessControl.content(of: text) == nil)
        let reference = try ForeignResult.make(.reference(item.reference))
        defer { chatelaine_release(reference) }
        #expect(BoxType.keychainItem.content(of: reference) == item)
        #expect(BoxType.accessControl.content(of: reference) == nil)
        #expect(BoxType.keychainItem.identifier == keychainItemGetTypeID())
    }

    /// An array made in C holds the same objects as one made in Swift.
    @Test(arguments: [0, 1, 5, 6, 300, Limits.listedItems + 1, Limits.listedItems + 100])
    func arraysOfCAreRead(_ count: Int) throws {
        var elements = try (0..<count).map { index -> UnsafeRawPointer? in
            index % 2 == 0 ? try ForeignResult.make(.reference(item.reference)) : ForeignResult.text("element \(index)")
        }
        let array = try #require(chatelaine_make_array(&elements, count))
        var keys = [ForeignResult.text("m_ItemList")]
        var values: [UnsafeRawPointer?] = [array]
        let dictionary = try #require(chatelaine_make_dictionary(&keys, &values, 1))
        defer { chatelaine_release(dictionary) }
        let pairs = try ForeignDictionary.pairs(of: dictionary)
        guard case .array(let read)? = pairs.first?.value else { return #expect(Bool(false), "no array") }
        #expect(read.count == min(count, Limits.listedItems + 1))
        for (index, element) in read.enumerated() {
            switch element {
            case .reference(item.reference): #expect(index % 2 == 0)
            case .text("element \(index)"): #expect(index % 2 == 1)
            default: Issue.record("\(index): \(element)")
            }
        }
    }

    @Test func nothingIsNoDictionary() {
        #expect(itemCopyMatching(nil, nil) == errSecParam)
        #expect(itemDelete(UnsafeRawPointer(bitPattern: 8)) == errSecParam)
    }
}
