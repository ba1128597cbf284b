import CChatelaineFoundation
import ChatelaineModel
import Foundation
import Testing

@testable import ChatelaineCInterface
@testable import Security

/// Dictionaries that reach the C interface from programs that have Swift in them, too.
struct ForeignDictionaryTests {
    private let control = SecAccessControl(AccessControl(protection: .afterFirstUnlock))

    /// Objects of Swift's classes, some of which CoreFoundation does not know.
    private var objects: [(String, AnyObject)] {
        [
            ("class", kSecClassGenericPassword), ("acct", NSString(string: "Grüße, 🗝️")),
            ("svce", NSMutableString(string: "plain")), ("gena", NSData(data: Data([0, 255]))),
            ("port", NSNumber(value: 443)), ("invi", NSNumber(value: true)), ("crtr", NSNumber(value: 2.5)),
            ("cdat", NSDate(timeIntervalSinceReferenceDate: 7)), ("accc", control), ("desc", NSNull()),
            ("agrp", NSUUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? NSUUID()), ("icmt", NSArray()),
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
    }

    @Test func nothingIsNoDictionary() {
        #expect(itemCopyMatching(nil, nil) == errSecParam)
        #expect(itemDelete(UnsafeRawPointer(bitPattern: 8)) == errSecParam)
    }
}
