import CoreFoundation
import Foundation
import Security
import Testing

/// Tests of CoreFoundation's functions for dictionaries and arrays, called with pointers as on Apple's platforms.
struct CollectionFunctionTests {
    private func pointer(_ object: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    private func query() throws -> CFMutableDictionary {
        var keys = kCFTypeDictionaryKeyCallBacks
        var values = kCFTypeDictionaryValueCallBacks
        let query = try #require(CFDictionaryCreateMutable(kCFAllocatorDefault, 0, &keys, &values))
        CFDictionarySetValue(query, pointer(kSecClass), pointer(kSecClassGenericPassword))
        CFDictionarySetValue(query, pointer(kSecReturnData), pointer(kCFBooleanTrue))
        return query
    }

    @Test func aDictionaryIsFilledByPointers() throws {
        let query = try query()
        #expect(
            query == [kSecClass as String: kSecClassGenericPassword, kSecReturnData as String: true] as CFDictionary)
        CFDictionaryAddValue(query, pointer(kSecClass), pointer(kSecClassKey))
        CFDictionaryReplaceValue(query, pointer(kSecAttrAccount), pointer(kSecClassKey))
        #expect(query[kSecClass] as? String == "genp")
        #expect(CFDictionaryGetCount(query) == 2)
        CFDictionaryReplaceValue(query, pointer(kSecClass), pointer(kSecClassKey))
        #expect(query[kSecClass] as? String == "keys")
        CFDictionaryRemoveValue(query, pointer(kSecClass))
        #expect(!CFDictionaryContainsKey(query, pointer(kSecClass)))
        #expect(CFDictionaryContainsValue(query, pointer(kCFBooleanTrue)))
        CFDictionaryRemoveAllValues(query)
        #expect(CFDictionaryGetCount(query) == 0)
    }

    /// The pointer leads to the dictionary's own object, however the dictionary was made.
    @Test func aValueIsAsLongAsItsDictionary() throws {
        let image = Data(repeating: 7, count: 100)
        let result =
            [kSecAttrAccount as String: "anna", kSecValueData as String: image, "port": 993, "list": ["a"]]
            as [String: Any] as CFDictionary
        let port: NSString = "port"
        let list: NSString = "list"
        for _ in 0..<3 {
            let account = CFDictionaryGetValue(result, pointer(kSecAttrAccount))
            #expect(unsafeBitCast(account, to: CFString.self) as String == "anna")
            let data = try #require(CFDictionaryGetValue(result, Unmanaged.passUnretained(kSecValueData).toOpaque()))
            #expect(Unmanaged<CFData>.fromOpaque(data).takeUnretainedValue() as Data == image)
            #expect(unsafeBitCast(CFDictionaryGetValue(result, pointer(port)), to: CFNumber.self) == 993)
            #expect(unsafeBitCast(CFDictionaryGetValue(result, pointer(list)), to: NSArray.self) == ["a"])
        }
        #expect(CFDictionaryGetValue(result, pointer(kSecAttrService)) == nil)
        var value: UnsafeRawPointer?
        #expect(CFDictionaryGetValueIfPresent(result, pointer(kSecAttrAccount), &value))
        #expect(value == CFDictionaryGetValue(result, pointer(kSecAttrAccount)))
        #expect(!CFDictionaryGetValueIfPresent(result, pointer(kSecAttrService), &value))
        #expect(CFDictionaryGetCountOfKey(result, pointer(kSecAttrAccount)) == 1)
        #expect(CFDictionaryGetCountOfValue(result, pointer(kSecAttrService)) == 0)
    }

    @Test func everyPairIsVisited() throws {
        let query = try query()
        var keys = [UnsafeRawPointer?](repeating: nil, count: 2)
        var values = keys
        CFDictionaryGetKeysAndValues(query, &keys, &values)
        let names = keys.map { unsafeBitCast($0, to: CFString.self) as String }
        #expect(Set(names) == ["class", "r_Data"])
        #expect(values[names.firstIndex(of: "r_Data")!] == pointer(kCFBooleanTrue))
        var again = [UnsafeRawPointer?](repeating: nil, count: 2)
        CFDictionaryGetKeysAndValues(query, nil, &again)
        #expect(again == values)
        CFDictionaryGetKeysAndValues(query, &again, nil)
        #expect(again == keys)
        var count = 0
        CFDictionaryApplyFunction(
            query,
            { key, value, context in
                if key != nil, value != nil { context?.assumingMemoryBound(to: Int.self).pointee += 1 }
            },
            &count)
        #expect(count == 2)
    }

    @Test func dictionariesAndArraysAreMadeOfPointers() throws {
        var keys: [UnsafeRawPointer?] = [pointer(kSecClass), pointer(kSecClass)]
        var values: [UnsafeRawPointer?] = [pointer(kSecClassKey), pointer(kSecClassIdentity)]
        let dictionary = CFDictionaryCreate(nil, &keys, &values, 2, nil, nil)
        #expect(dictionary == ["class": "keys"])
        #expect(CFDictionaryCreate(nil, nil, nil, 1, nil, nil) == nil)
        #expect(CFDictionaryCreate(nil, nil, nil, 0, nil, nil) == [:])
        let copy = try #require(CFDictionaryCreateMutableCopy(nil, 0, dictionary))
        CFDictionarySetValue(copy, pointer(kSecReturnRef), pointer(kCFBooleanTrue))
        #expect(CFDictionaryGetCount(dictionary) == 1 && CFDictionaryGetCount(copy) == 2)
        #expect(CFDictionaryCreateCopy(nil, copy) == copy)
        let array = try #require(CFArrayCreate(nil, &values, 2, nil))
        #expect(array == ["keys", "idnt"])
        #expect(CFArrayCreate(nil, &values, -1, nil) == nil)
    }

    @Test func arraysAreReadByPointers() throws {
        let found = [["acct": "anna"], ["acct": "ben"]] as CFArray
        #expect(CFArrayGetCount(found) == 2)
        let item = unsafeBitCast(CFArrayGetValueAtIndex(found, 1), to: CFDictionary.self)
        #expect(item == ["acct": "ben"])
        #expect(CFArrayGetValueAtIndex(found, 2) == nil && CFArrayGetValueAtIndex(found, -1) == nil)
        let array = try #require(CFArrayCreateMutable(nil, 0, nil))
        for object in [kSecAttrAccount, kSecAttrService, kSecAttrAccount] { CFArrayAppendValue(array, pointer(object)) }
        let whole = CFRangeMake(0, CFArrayGetCount(array))
        #expect(CFArrayGetFirstIndexOfValue(array, whole, pointer(kSecAttrService)) == 1)
        #expect(CFArrayGetFirstIndexOfValue(array, CFRange(location: 1, length: 9), pointer(kSecAttrAccount)) == 2)
        #expect(!CFArrayContainsValue(array, CFRangeMake(0, 1), pointer(kSecAttrService)))
        CFArrayRemoveValueAtIndex(array, 0)
        CFArrayRemoveValueAtIndex(array, 7)
        #expect(CFArrayCreateCopy(nil, array) == ["svce", "acct"])
        CFArrayRemoveAllValues(array)
        #expect(CFArrayGetCount(CFArrayCreateMutableCopy(nil, 0, array)) == 0)
    }

    /// Programs cast their keys to `NSCopying`, as Apple's declarations have it.
    @Test func dictionariesTakeKeysThatCanBeCopied() {
        let query = NSMutableDictionary()
        let (itemClass, account): (any NSCopying, any NSCopying) = (kSecClass, "acct" as NSString)
        query.setObject(kSecClassGenericPassword, forKey: itemClass)
        query.setObject("mail", forKey: kSecAttrService as NSCopying)
        query.setObject("label", forKey: kSecAttrLabel)
        query[account] = "anna"
        query[kSecReturnData] = kCFBooleanTrue
        query["r_Ref" as NSCopying] = true
        query["r_Ref" as NSCopying] = nil
        let expected: CFDictionary =
            ["class": "genp", "svce": "mail", "labl": "label", "acct": "anna", "r_Data": true] as [String: Any]
            as CFDictionary
        #expect(query == expected)
        #expect(query[account] as? String == "anna" && query[kSecAttrService as NSCopying] as? String == "mail")
        #expect(NSDictionary(object: "anna", forKey: account) == ["acct": "anna"])
        #expect(NSMutableDictionary(object: "anna", forKey: account) == ["acct": "anna"])
        let keys = [itemClass, account]
        #expect(NSDictionary(objects: ["genp", "anna", "more"], forKeys: keys) == ["class": "genp", "acct": "anna"])
        let texts = [kSecClass as NSString, kSecReturnData as NSString]
        #expect(NSDictionary(objects: ["genp", kCFBooleanTrue!], forKeys: texts) == ["class": "genp", "r_Data": true])
        query[account] = nil
        #expect(query[kSecAttrAccount] == nil && query.count == 4)
    }

    @Test func aMutableDictionaryTakesValuesByName() {
        let query = NSMutableDictionary()
        query.setValue(kSecClassGenericPassword, forKey: kSecClass as String)
        query.setValue("anna", forKey: kSecAttrAccount as String)
        query.setValue(true, forKey: kSecReturnData as String)
        query.setValue(nil, forKey: kSecAttrAccount as String)
        #expect(query == [kSecClass as String: kSecClassGenericPassword, kSecReturnData as String: kCFBooleanTrue!])
        #expect(query.value(forKey: kSecClass as String) as? String == "genp")
    }
}
