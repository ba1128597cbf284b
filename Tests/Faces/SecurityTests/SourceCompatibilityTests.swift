import CoreFoundation
import Foundation
import Security
import Testing

/// Tests that code written for Apple's platforms compiles and means the same.
struct SourceCompatibilityTests {
    @Test func aStringAndItsNSStringAreOneKey() {
        #expect(AnyHashable(kSecAttrAccount) == AnyHashable("acct"))
        #expect(AnyHashable("acct").hashValue == AnyHashable(kSecAttrAccount).hashValue)
        let attributes: [AnyHashable: Any] = ["acct": "anna", kSecAttrService: "mail"]
        #expect(attributes[kSecAttrAccount] as? String == "anna")
        #expect(attributes["svce"] as? String == "mail")
        #expect(attributes[kSecAttrLabel] == nil)
    }

    @Test func queriesOfEveryUsualShapeBecomeDictionaries() {
        let byString: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, String(kSecReturnData): kCFBooleanTrue!,
            kSecMatchLimit as String: kSecMatchLimitOne,
        ]
        let byConstant: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
        ]
        let hashable: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword, kSecReturnData as String: kCFBooleanTrue,
            kSecMatchLimit as String: kSecMatchLimitOne,
        ]
        let mutable = NSMutableDictionary()
        mutable[kSecClass] = kSecClassGenericPassword
        mutable[kSecReturnData] = kCFBooleanTrue
        mutable[kSecMatchLimit] = kSecMatchLimitOne
        let expected: CFDictionary = mutable
        #expect(byString as CFDictionary == expected)
        #expect(byConstant as CFDictionary == expected)
        #expect(hashable as CFDictionary == expected)
        #expect(CFEqual(mutable as CFMutableDictionary, expected))
    }

    @Test func booleansAreTrueAndFalse() {
        #expect(kCFBooleanTrue!.boolValue)
        #expect(!kCFBooleanFalse!.boolValue)
        #expect(kCFBooleanTrue as? Bool == true)
        #expect(CFBooleanGetValue(kCFBooleanTrue))
        #expect(kCFAllocatorDefault == nil)
    }

    @Test func aNumberAndItsNSNumberAreOneKey() {
        let pairs: [(NSNumber, AnyHashable)] = [
            (kCFBooleanTrue, true), (kCFBooleanFalse, false), (3, 3), (-3, -3), (1.5, 1.5), (0, 0),
            (NSNumber(value: Int8(1)), 1), (NSNumber(value: UInt64.max), AnyHashable(UInt64.max)),
            (NSNumber(value: Int64.min), AnyHashable(Int64.min)), (NSNumber(value: Float(2.5)), 2.5),
        ]
        for (number, value) in pairs {
            #expect(AnyHashable(number) == value && value == AnyHashable(number), "\(number)")
            #expect(AnyHashable(number).hashValue == value.hashValue, "\(number)")
        }
        #expect(AnyHashable(kCFBooleanTrue!) != AnyHashable(1))
        let query: [String: AnyHashable] = [kSecReturnData as String: kCFBooleanTrue]
        #expect(query == [kSecReturnData as String: true])
        #expect(query["r_Data"] as? Bool == true)
        #expect(query["r_Data"] as? NSNumber == kCFBooleanTrue)
        #expect(CFGetTypeID((query as CFDictionary)[kSecReturnData] as CFTypeRef) == CFBooleanGetTypeID())
        let decimal = NSDecimalNumber(string: "0.1")
        #expect(AnyHashable(decimal) == AnyHashable(decimal))
    }

    @Test func resultsAreTakenApart() {
        var item: CFTypeRef?
        withUnsafeMutablePointer(to: &item) { $0.pointee = Data([1, 2]) as CFData }
        #expect(item as? Data == Data([1, 2]))
        item = [[kSecAttrAccount as String: "anna"]] as CFArray
        #expect((item as? [[String: Any]])?.first?[kSecAttrAccount as String] as? String == "anna")
        let thrown: Unmanaged<CFError>? = .passRetained(NSError(domain: NSOSStatusErrorDomain, code: -50))
        let error = thrown?.takeRetainedValue()
        #expect(CFErrorGetCode(error) == Int(errSecParam))
        #expect(CFErrorGetDomain(error) == kCFErrorDomainOSStatus)
    }

    @Test func typeIdentifiersTellObjectsApart() {
        let pairs: [(AnyObject, CFTypeID)] = [
            ("text" as CFString, CFStringGetTypeID()), (NSMutableString(capacity: 0), CFStringGetTypeID()),
            (Data([1]) as CFData, CFDataGetTypeID()), (kCFBooleanTrue, CFBooleanGetTypeID()),
            (true as AnyObject, CFBooleanGetTypeID()), (NSNumber(value: Int8(1)), CFNumberGetTypeID()),
            (NSNumber(value: 1.5), CFNumberGetTypeID()), (NSDictionary(), CFDictionaryGetTypeID()),
            (NSMutableArray(), CFArrayGetTypeID()), (NSDate(), CFDateGetTypeID()), (NSSet(), CFSetGetTypeID()),
            (kCFNull, CFNullGetTypeID()), (NSError(domain: "d", code: 1), CFErrorGetTypeID()),
            (NSURL(fileURLWithPath: "/"), CFURLGetTypeID()), (Unknown(), 0), (Known(), 4711),
        ]
        for (object, identifier) in pairs {
            #expect(CFGetTypeID(object) == identifier, "\(type(of: object))")
        }
    }

    @Test func equalityAndHashAreByValueWhereDefined() {
        let text = NSMutableString(string: "svce")
        #expect(CFEqual(text, kSecAttrService))
        #expect(CFHash(text) == CFHash(kSecAttrService))
        #expect(!CFEqual(text, kSecAttrAccount))
        let object = Unknown()
        #expect(CFEqual(object, object))
        #expect(!CFEqual(object, Unknown()))
        #expect(CFHash(object) == CFHash(object))
    }

    @Test func dataIsCopied() {
        var bytes: [UInt8] = [1, 2, 3]
        let data = CFDataCreate(kCFAllocatorDefault, &bytes, bytes.count)
        bytes[0] = 9
        #expect(data as Data? == Data([1, 2, 3]))
        #expect(CFDataGetLength(data) == 3)
        #expect(CFDataCreate(nil, &bytes, -1) == nil)
        #expect(CFDataCreate(nil, nil, 0) == NSData())
    }
}

private final class Unknown {}

private final class Known: CFTypeIdentified {
    static let cfTypeID: CFTypeID = 4711
}
