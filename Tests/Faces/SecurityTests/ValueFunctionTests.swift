import CoreFoundation
import Foundation
import Security
import Testing

/// Tests of CoreFoundation's functions for data, strings, numbers and similar values, called as on Apple's platforms.
struct ValueFunctionTests {
    private let utf8 = CFStringBuiltInEncodings.UTF8.rawValue

    @Test func dataIsReadThroughItsPointer() throws {
        for data in [Data([1, 2, 3]), Data(repeating: 9, count: 100_000)] {
            let object = try #require(CFDataCreateCopy(nil, data as CFData))
            #expect(
                [UInt8](UnsafeBufferPointer(start: CFDataGetBytePtr(object), count: CFDataGetLength(object)))
                    == [UInt8](data))
            var part: [UInt8] = [0, 0]
            CFDataGetBytes(object, CFRangeMake(1, 2), &part)
            #expect(part == [UInt8](data[1...2]))
            CFDataGetBytes(object, CFRangeMake(data.count, 1), &part)
            CFDataGetBytes(object, CFRangeMake(1, .max), &part)
        }
    }

    @Test func bytesAreTakenOverOrBorrowed() throws {
        let count = 4096
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        defer { bytes.deallocate() }
        bytes.initialize(repeating: 5, count: count)
        let borrowed = try #require(CFDataCreateWithBytesNoCopy(kCFAllocatorDefault, bytes, count, kCFAllocatorNull))
        #expect(CFDataGetBytePtr(borrowed) == UnsafePointer(bytes))
        for allocator in [kCFAllocatorMalloc, kCFAllocatorDefault, kCFAllocatorSystemDefault] {
            let own = try #require(malloc(count)).bindMemory(to: UInt8.self, capacity: count)
            own.initialize(repeating: 6, count: count)
            #expect(CFDataGetLength(CFDataCreateWithBytesNoCopy(nil, own, count, allocator)) == count)
        }
        #expect(CFDataCreateWithBytesNoCopy(nil, bytes, -1, kCFAllocatorNull) == nil)
    }

    @Test func dataGrows() throws {
        let data = try #require(CFDataCreateMutable(nil, 0))
        CFDataAppendBytes(data, [1, 2], 2)
        CFDataSetLength(data, 4)
        CFDataGetMutableBytePtr(data)[3] = 8
        CFDataSetLength(data, -1)
        #expect(data as Data == Data([1, 2, 0, 8]))
        #expect(CFDataCreateMutableCopy(nil, 0, data) == data)
    }

    @Test func stringsAreMadeAndWrittenOut() throws {
        let text = try #require(CFStringCreateWithCString(kCFAllocatorDefault, "Grüße", utf8))
        #expect(text as String == "Grüße" && CFStringGetLength(text) == 5)
        #expect(CFStringCreateWithCString(nil, [CChar(bitPattern: 0xff), 0], utf8) == nil)
        #expect(
            CFStringCreateWithBytes(nil, [0x66, 0xfc], 2, CFStringBuiltInEncodings.isoLatin1.rawValue, false) == "fü")
        var buffer = [CChar](repeating: 1, count: 8)
        #expect(CFStringGetCString(text, &buffer, 8, utf8))
        #expect(buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } == "Grüße")
        #expect(!CFStringGetCString(text, &buffer, 7, utf8))
        #expect(!CFStringGetCString(text, &buffer, 8, CFStringBuiltInEncodings.ASCII.rawValue))
        let size = CFStringGetMaximumSizeForEncoding(CFStringGetLength(text), utf8)
        #expect(size >= 7)
        // Callers expect nil, and then use the call above.
        #expect(CFStringGetCStringPtr(text, utf8) == nil)
        let data = CFStringCreateExternalRepresentation(nil, text, utf8, 0)
        #expect(CFStringCreateFromExternalRepresentation(nil, data, utf8) == text)
        let ascii = CFStringBuiltInEncodings.ASCII.rawValue
        #expect(CFStringCreateExternalRepresentation(nil, text, ascii, 0) == nil)
        #expect(CFStringCreateExternalRepresentation(nil, text, ascii, 0x2a) as Data? == Data("Gr**e".utf8))
        #expect(CFStringConvertNSStringEncodingToEncoding(String.Encoding.utf8.rawValue) == utf8)
        #expect(CFStringConvertEncodingToNSStringEncoding(utf8) == String.Encoding.utf8.rawValue)
        #expect(CFStringCreateWithCString(nil, "a", kCFStringEncodingInvalidId) == nil)
    }

    @Test func numbersAreMadeAndTaken() throws {
        var port: Int32 = 993
        let number = try #require(CFNumberCreate(nil, .sInt32Type, &port))
        #expect(number == 993 && !CFNumberIsFloatType(number) && CFNumberGetType(number) == .sInt32Type)
        var short: Int16 = 0
        #expect(CFNumberGetValue(number, .sInt16Type, &short) && short == 993)
        var small: Int8 = 0
        #expect(!CFNumberGetValue(number, .charType, &small) && small == .max)
        var real = 0.0
        #expect(CFNumberGetValue(number, .doubleType, &real) && real == 993)
        var whole = 0
        #expect(!CFNumberGetValue(2.5, .nsIntegerType, &whole) && whole == 2)
        #expect(!CFNumberGetValue(NSNumber(value: UInt64.max), .sInt64Type, &whole) && whole == .max)
        #expect(CFNumberGetValue(NSNumber(value: Int64.min), .sInt64Type, &whole) && whole == .min)
        #expect(CFNumberGetType(kCFBooleanTrue) == .charType && CFNumberGetType(2.5) == .float64Type)
        #expect(CFGetTypeID(CFNumberCreate(nil, .charType, &small)) == CFNumberGetTypeID())
    }

    /// `CFBoolean` and `CFNumber` are one type here, but are told apart as on Apple's platforms.
    @Test func truthValuesAreToldFromNumbers() {
        let values: [Any] = [true as CFBoolean, kCFBooleanFalse!, true, 1 as CFNumber, 1]
        let kinds = values.map { CFGetTypeID($0 as CFTypeRef) == CFBooleanGetTypeID() }
        #expect(kinds == [true, true, true, false, false])
        #expect(kCFBooleanTrue as NSNumber == true && kCFBooleanTrue as? Bool == true)
    }

    @Test func otherObjects() throws {
        let date = try #require(CFDateCreate(nil, 1.5))
        #expect(CFDateGetAbsoluteTime(date) == 1.5)
        #expect(date.timeIntervalSince1970 == kCFAbsoluteTimeIntervalSince1970 + 1.5)
        let uuid = try #require(CFUUIDCreate(nil))
        #expect(CFUUIDCreateFromString(nil, CFUUIDCreateString(nil, uuid)) == uuid)
        #expect(CFGetTypeID(uuid) == CFUUIDGetTypeID())
        let error = CFErrorCreate(
            nil, kCFErrorDomainOSStatus, -50, [kCFErrorLocalizedDescriptionKey as String: "no"] as CFDictionary)
        #expect(CFErrorGetCode(error) == -50 && CFErrorCopyDescription(error) == "no")
        #expect((CFCopyDescription(["acct": "anna"] as CFDictionary) as String).contains("anna"))
    }

    /// Code that sorts results by type compiles, and finds none of these types among passwords.
    @Test func typesOfKeysCertificatesAndIdentities() {
        let identifiers = [
            SecKeyGetTypeID(), SecCertificateGetTypeID(), SecIdentityGetTypeID(), SecAccessControlGetTypeID(),
        ]
        #expect(Set(identifiers).count == 4 && !identifiers.contains(CFGetTypeID(kSecClass)))
        let result: CFTypeRef = Data([1]) as CFData
        #expect(result as? SecKey == nil && result as? SecCertificate == nil && result as? SecIdentity == nil)
    }
}
