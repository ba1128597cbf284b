import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests of attributes as bytes.
struct SecKeychainAttributeTests {
    /// C code passes pointers to these structures and structures that hold them.
    @Test func layoutIsThatOfC() {
        #expect(MemoryLayout<SecKeychainAttribute>.stride == 16)
        #expect(MemoryLayout<SecKeychainAttribute>.offset(of: \.length) == 4)
        #expect(MemoryLayout<SecKeychainAttribute>.offset(of: \.data) == 8)
        #expect(MemoryLayout<SecKeychainAttributeList>.stride == 16)
        #expect(MemoryLayout<SecKeychainAttributeList>.offset(of: \.attr) == 8)
        #expect(MemoryLayout<SecKeychainAttributeInfo>.stride == 24)
        #expect(MemoryLayout<SecKeychainAttributeInfo>.offset(of: \.format) == 16)
        #expect(MemoryLayout<SecAFPServerSignature>.size == 16 && MemoryLayout<SecPublicKeyHash>.size == 20)
    }

    /// A callback gets one structure for the other, and a C function gets C's own structure (`CInterface/callbacks.c`).
    @Test func whatACallbackIsToldHasTheLayoutOfC() {
        typealias Info = SecKeychainCallbackInfo
        #expect(MemoryLayout<Info>.size == 28 && MemoryLayout<EventInformation>.size == 28)
        #expect(MemoryLayout<Info>.stride == 32 && MemoryLayout<EventInformation>.stride == 32)
        #expect(MemoryLayout<Info>.alignment == 8 && MemoryLayout<EventInformation>.alignment == 8)
        let offsets = [0, 8, 16, 24]
        #expect([\Info.version, \.item, \.keychain, \.pid].map { MemoryLayout<Info>.offset(of: $0) } == offsets)
        #expect(
            [\EventInformation.version, \.item, \.keychain, \.pid]
                .map { MemoryLayout<EventInformation>.offset(of: $0) } == offsets)
    }

    @Test func datesAreSixteenBytes() {
        for (seconds, text) in [
            (0.0, "20010101000000Z"), (-978_307_200, "19700101000000Z"), (730_943_999.5, "20240229235959Z"),
            (-978_307_201, "19691231235959Z"), (252_423_993_599, "99991231235959Z"),
        ] {
            let bytes = TimeDate.bytes(seconds)
            #expect(bytes == Array(text.utf8) + [0], "\(text)")
            #expect(bytes?.withUnsafeBytes { TimeDate.seconds($0) } == seconds.rounded(.down), "\(text)")
            #expect(bytes?.dropLast().withUnsafeBytes { TimeDate.seconds($0) } == seconds.rounded(.down))
        }
        for seconds in [252_423_993_600, -1e12, .infinity, .nan] { #expect(TimeDate.bytes(seconds) == nil) }
        for text in [
            "", "20230229000000Z", "20240229240000Z", "20240229000060Z", "2024022900000 Z", "-0240229000000Z",
            "20240229000000z", "20240229000000Z1", "20241301000000Z",
        ] {
            #expect(Array(text.utf8).withUnsafeBytes { TimeDate.seconds($0) } == nil, "\(text)")
        }
    }

    @Test func numbersAndCodes() throws {
        let tag = try AttributeTag(0x7074_636C, of: .internetPassword)
        for (number, value) in [
            (0x6874_7073, AttributeValue.text("htps")), (5, .number(5)), (0x3132_3334, .number(0x3132_3334)),
        ] as [(UInt32, AttributeValue)] {
            let bytes = AttributeTag.bytes(number)
            #expect(try bytes.withUnsafeBytes { try tag.value(of: $0) } == value)
            #expect(tag.bytes(of: value) == bytes)
        }
        let truth = try AttributeTag(0x696E_7669, of: .genericPassword)
        for bytes in [[1], [1, 0, 0, 0]] as [[UInt8]] {
            #expect(try bytes.withUnsafeBytes { try truth.value(of: $0) } == .number(1))
        }
        let port = try AttributeTag(0x706F_7274, of: .internetPassword)
        #expect(try [UInt8](arrayLiteral: 0xBB, 1).withUnsafeBytes { try port.value(of: $0) } == .number(443))
        let code = try AttributeTag(0x6174_7970, of: .internetPassword)
        #expect(try [UInt8](repeating: 0, count: 4).withUnsafeBytes { try code.value(of: $0) } == .text(""))
        #expect(code.bytes(of: .text("")) == [0, 0, 0, 0])
        #expect(throws: KeychainError.self) { try AttributeTag(0x706F_7274, of: .genericPassword) }
        #expect(throws: KeychainError.self) { try AttributeTag(0x6B63_6C73, of: .key) }
    }

    @Test func attributesOfKeysHaveNumbers() throws {
        let all = AttributeTag.all(of: .key)
        #expect(all.map(\.tag) == (0..<27).map { UInt32($0) })
        for (number, name, format) in [
            (kSecKeyKeyClass, "kcls", .number), (kSecKeyPrintName, "labl", .bytes), (kSecKeyAlias, "alis", .bytes),
            (kSecKeyLabel, "klbl", .bytes), (kSecKeyApplicationTag, "atag", .bytes), (kSecKeyKeyType, "type", .number),
            (kSecKeyStartDate, "sdat", .date), (kSecKeyEndDate, "edat", .date), (kSecKeyExtractable, "extr", .number),
            (kSecKeySign, "sign", .number), (kSecKeyUnwrap, "unwp", .number),
        ] as [(Int32, String, AttributeTag.Format)] {
            let tag = try AttributeTag(UInt32(number), of: .key)
            #expect(tag.key.name == name && tag.format == format && all[Int(number)].format == format)
        }
        // This attribute is text in other calls and bytes here.
        let label = try AttributeTag(UInt32(kSecKeyLabel), of: .key)
        #expect(try Array("text".utf8).withUnsafeBytes { try label.value(of: $0) } == .data(Array("text".utf8)))
        #expect(throws: KeychainError.self) { try AttributeTag(27, of: .key) }
        #expect(throws: KeychainError.self) { try AttributeTag(6, of: .genericPassword) }
    }

    /// The call that frees the memory wipes it, so it has to come from malloc.
    @Test func memoryIsHandedOut() throws {
        let block = try #require(Array("secret".utf8).withUnsafeBytes { CallerOwnedMemory.copy($0) })
        #expect(Data(bytes: block, count: 6) == Data("secret".utf8))
        CallerOwnedMemory.free(block)
        CallerOwnedMemory.free(try #require(CallerOwnedMemory.copy(UnsafeRawBufferPointer(start: nil, count: 0))))
        CallerOwnedMemory.free(nil)
        #expect(SecKeychainItemFreeContent(nil, nil) == errSecSuccess)
        #expect(SecKeychainItemFreeAttributesAndData(nil, nil) == errSecSuccess)
    }
}
