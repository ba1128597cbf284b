import ChatelaineModel
import Foundation

@testable import Security

/// Makes Foundation objects from an input: those that belong into query dictionaries, and others.
struct FuzzedObjects {
    private var intake: Intake

    init(_ intake: Intake) { self.intake = intake }

    mutating func dictionary(count: Int, depth: Int) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        for _ in 0..<count where !intake.isEmpty {
            let key = self.key()
            dictionary.setObject(value(depth: depth), forKey: key)
        }
        return dictionary
    }

    private mutating func key() -> NSObject {
        let choice = Int(intake.byte())
        switch choice {
        case 0xFE: return NSNumber(value: intake.byte())
        case 0xFF: return NSString(string: intake.text())
        default: return NSString(string: Self.keys[choice % Self.keys.count])
        }
    }

    private mutating func value(depth: Int) -> Any {
        switch intake.number(below: 19) {
        case 0: NSString(string: intake.text())
        case 1: NSNumber(value: Int64(bitPattern: intake.word()))
        case 2: NSNumber(value: Double(bitPattern: intake.word()))
        case 3: NSNumber(value: intake.flag())
        case 4: NSData(data: Data(intake.piece()))
        case 5: NSDate(timeIntervalSinceReferenceDate: Double(bitPattern: intake.word()))
        case 6: NSNull()
        case 7:
            depth < 4 ? NSArray(array: (0..<intake.number(below: 4)).map { _ in value(depth: depth + 1) }) : NSArray()
        case 8: depth < 4 ? dictionary(count: intake.number(below: 4), depth: depth + 1) : NSDictionary()
        case 9: uuid()
        case 10: accessControl()
        case 11: NSObject()
        case 12: NSNumber(value: intake.word())
        case 13: NSNumber(value: Int8(bitPattern: intake.byte()))
        case 14: NSMutableString(string: intake.text())
        case 15: NSNumber(value: Float(bitPattern: UInt32(truncatingIfNeeded: intake.word())))
        case 16: NSURL(fileURLWithPath: "/")
        case 18: reference()
        default: NSString(string: Self.words[intake.number(below: Self.words.count)])
        }
    }

    /// Makes an access control as in a result, or one from flags where these do not exclude each other.
    private mutating func accessControl() -> SecAccessControl {
        let protection = accessibility()
        let flags = AccessControlFlags(rawValue: UInt(truncatingIfNeeded: intake.word()))
        return SecAccessControl(AccessControl(protection: protection, constraints: try? AccessConstraints(flags)))
    }

    private mutating func uuid() -> NSUUID {
        let bytes = [UInt8](intake.take(16)) + [UInt8](repeating: 0, count: 16)
        return bytes.withUnsafeBufferPointer { $0.baseAddress.map { NSUUID(uuidBytes: $0) } ?? NSUUID() }
    }

    private mutating func reference() -> SecKeychainItem {
        let itemClass = ItemClass.allCases[intake.number(below: ItemClass.allCases.count)]
        return SecKeychainItem(
            PersistentReference(itemClass: itemClass, identifier: ItemIdentifier(Bytes16(repeating: intake.byte()))))
    }

    private mutating func accessibility() -> Accessibility {
        Accessibility.allCases[intake.number(below: Accessibility.allCases.count)]
    }

    /// The byte that stands for a key in an input.
    static func place(of key: String) -> UInt8 { UInt8(keys.firstIndex(of: key) ?? 0) }

    /// The names of keys: constants, attributes of any class, and names that are nearly one.
    private static let keys: [String] = {
        let constants = [
            "class", "class", "class", "v_Data", "v_Ref", "v_PersistentRef", "persistref", "nleg", "u_AuthUI",
            "u_NoAuthUI", "u_OpPrompt", "u_AuthCtx", "u_UserIndependentKeychain", "u_Tomb", "m_Limit",
            "m_HostOrSubdomainOfHost", "m_Issuers", "m_Policy", "m_ValidOnDate", "m_TrustedOnly",
            "m_EmailAddressIfPresent", "m_SubjectContains", "m_CaseInsensitive", "m_SearchList", "r_Data",
            "r_Attributes", "r_Ref", "r_PersistentRef", "u_Keychain", "acls", "salt", "", "m", "labé", "x_Other",
        ]
        let attributes = ItemClass.allCases.flatMap { AttributeSchema.of($0).columns.map(\.key.name) }
        return constants + Set(attributes).sorted() + ["m_ItemList", "u_ItemList"]
    }()

    /// Texts with a meaning as a value.
    private static let words = [
        "genp", "inet", "cert", "keys", "idnt", "m_LimitOne", "m_LimitAll", "u_AuthUIA", "u_AuthUIF", "u_AuthUIS",
        "syna",
        "ak", "ck", "dk", "aku", "cku", "dku", "akpu", "1", "-7", "007", "http", "a.example.org", "test.group",
    ]
}
