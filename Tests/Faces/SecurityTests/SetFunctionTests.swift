import CoreFoundation
import Foundation
import Security
import Testing

/// Tests of CoreFoundation's functions for sets, called with pointers as on Apple's platforms.
struct SetFunctionTests {
    private func pointer(_ object: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    private func text(_ pointer: UnsafeRawPointer?) -> String? {
        pointer.map { Unmanaged<CFString>.fromOpaque($0).takeUnretainedValue() as String }
    }

    @Test func aSetIsFilledByPointers() throws {
        var callBacks = kCFTypeSetCallBacks
        let set = try #require(CFSetCreateMutable(nil, 0, &callBacks))
        for object in [kSecAttrAccount, kSecAttrService, kSecAttrAccount] { CFSetAddValue(set, pointer(object)) }
        #expect(CFSetGetCount(set) == 2 && set == NSSet(array: ["acct", "svce"]))
        #expect(CFSetContainsValue(set, pointer(kSecAttrAccount)) && !CFSetContainsValue(set, pointer(kSecClass)))
        #expect(CFSetGetCountOfValue(set, pointer(kSecAttrService)) == 1)
        let other = NSMutableString(string: "acct")
        CFSetReplaceValue(set, pointer(other))
        CFSetReplaceValue(set, pointer(kSecClass))
        CFSetSetValue(set, pointer(kSecAttrLabel))
        #expect(set == NSSet(array: ["acct", "svce", "labl"]))
        CFSetRemoveValue(set, pointer(kSecAttrService))
        CFSetRemoveValue(set, pointer(kSecClass))
        #expect(CFSetCreateCopy(nil, set) == NSSet(array: ["acct", "labl"]))
        CFSetRemoveAllValues(set)
        #expect(CFSetGetCount(CFSetCreateMutableCopy(nil, 0, set)) == 0)
    }

    /// The pointer leads to the set's own object, however the set was made.
    @Test func anElementIsAsLongAsItsSet() throws {
        var values: [UnsafeRawPointer?] = [pointer(kSecAttrAccount), pointer(kSecAttrService)]
        let sets = [
            try #require(CFSetCreate(nil, &values, 2, nil)), Set(["acct", "svce"]) as CFSet,
            NSMutableSet(array: ["acct", "svce"]),
        ]
        for set in sets {
            for _ in 0..<3 {
                let account: NSMutableString = NSMutableString(string: "acct")
                let found = CFSetGetValue(set, pointer(account))
                #expect(text(found) == "acct" && found != pointer(account))
            }
            #expect(CFSetGetValue(set, pointer(kSecClass)) == nil)
            var value: UnsafeRawPointer?
            #expect(CFSetGetValueIfPresent(set, pointer(kSecAttrAccount), &value) && text(value) == "acct")
            #expect(!CFSetGetValueIfPresent(set, pointer(kSecClass), &value))
            var all = [UnsafeRawPointer?](repeating: nil, count: 2)
            CFSetGetValues(set, &all)
            #expect(Set(all.map { text($0) }) == ["acct", "svce"])
            var count = 0
            CFSetApplyFunction(
                set,
                { element, context in
                    if element != nil { context?.assumingMemoryBound(to: Int.self).pointee += 1 }
                }, &count)
            #expect(count == 2)
        }
        #expect(CFSetCreate(nil, &values, -1, nil) == nil && CFSetCreate(nil, nil, 0, nil) == NSSet())
        #expect(CFGetTypeID(sets[0]) == CFSetGetTypeID())
    }
}
