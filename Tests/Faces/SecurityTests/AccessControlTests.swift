import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests of `SecAccessControlCreateWithFlags`, called as programs for Apple's platforms do
/// (behaviour/access-control.md, 1 to 14).
@Suite struct AccessControlTests {
    private static var protections: [CFString] {
        [
            kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAlways,
            kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            kSecAttrAccessibleAlwaysThisDeviceOnly, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
        ]
    }

    /// Makes an access control in the usual way.
    private func made(
        _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags
    ) throws -> SecAccessControl {
        var error: Unmanaged<CFError>?
        guard let control = SecAccessControlCreateWithFlags(nil, protection, flags, &error) else {
            throw try #require(error).takeRetainedValue() as Error
        }
        #expect(error == nil)
        return control
    }

    @Test func everyProtectionClassHasOne() throws {
        for (protection, expected) in zip(Self.protections, Accessibility.inOrderOfConstants) {
            for flags in [[], .userPresence, [.devicePasscode, .biometryAny, .or]] as [SecAccessControlCreateFlags] {
                let control = try made(protection, flags).control
                #expect(control.protection == expected)
                #expect(control.constraints == (try AccessConstraints(AccessControlFlags(rawValue: flags.rawValue))))
            }
        }
        #expect(try made("ak" as NSString, []).control.protection == .whenUnlocked)
    }

    @Test func flagsAreApples() {
        let flags: [(SecAccessControlCreateFlags, UInt)] = [
            (.userPresence, 1), (.biometryAny, 2), (.biometryCurrentSet, 8), (.devicePasscode, 16), (.companion, 32),
            (.or, 16384), (.and, 32768), (.privateKeyUsage, 1_073_741_824), (.applicationPassword, 2_147_483_648),
        ]
        for (flag, value) in flags { #expect(flag.rawValue == value) }
        #expect(flags.map(\.0.rawValue) == AccessControlFlags.names.map(\.flag.rawValue))
    }

    @Test func formerNamesMeanTheSame() {
        let names: any FormerNames.Type = SecAccessControlCreateFlags.self
        #expect(names.former == [.biometryAny, .biometryCurrentSet, .companion])
    }

    @Test func whatIsRefusedHasAnError() throws {
        let refused: [(CFTypeRef, SecAccessControlCreateFlags)] = [
            ("xx" as NSString, []), (NSString(), .userPresence), (NSNumber(value: 1), []), (NSNull(), []),
            (kSecAttrAccessible, []), (kSecAttrAccessibleAlways, [.or, .and]),
            (kSecAttrAccessibleAlways, [.biometryAny, .biometryCurrentSet]),
            (kSecAttrAccessibleAlways, [.userPresence, .devicePasscode]),
            (kSecAttrAccessibleAlways, SecAccessControlCreateFlags(rawValue: 4)),
        ]
        for (protection, flags) in refused {
            #expect(SecAccessControlCreateWithFlags(nil, protection, flags, nil) == nil)
            var error: Unmanaged<CFError>?
            #expect(SecAccessControlCreateWithFlags(nil, protection, flags, &error) == nil)
            let failure = try #require(error).takeRetainedValue()
            #expect(CFErrorGetCode(failure) == CFIndex(errSecParam))
            #expect(CFErrorGetDomain(failure) == kCFErrorDomainOSStatus)
            #expect(failure.domain == NSOSStatusErrorDomain && !failure.localizedDescription.isEmpty)
        }
    }

    @Test func equalityIsThatOfWhatTheyDescribe() throws {
        let first = try made(kSecAttrAccessibleWhenUnlocked, [.devicePasscode, .biometryAny, .or])
        let same = try made(kSecAttrAccessibleWhenUnlocked, [.biometryAny, .or, .devicePasscode])
        #expect(first == same && first.hash == same.hash && first !== same)
        #expect(first != (try made(kSecAttrAccessibleAlways, [.devicePasscode, .biometryAny, .or])))
        #expect(first != (try made(kSecAttrAccessibleWhenUnlocked, [.devicePasscode, .biometryAny, .and])))
        let free = try made(kSecAttrAccessibleWhenUnlocked, [])
        let plain = SecAccessControl(AccessControl(protection: .whenUnlocked))
        #expect(free == (try made(kSecAttrAccessibleWhenUnlocked, [])) && free != plain)
        // A flag that combines several constraints means nothing without them.
        #expect(free == (try made(kSecAttrAccessibleWhenUnlocked, .or)))
        #expect(CFGetTypeID(first) == SecAccessControlGetTypeID())
    }

    @Test func descriptionsSayClassAndFlags() throws {
        #expect(
            try made(kSecAttrAccessibleWhenUnlocked, [.userPresence, .applicationPassword]).description
                == "<SecAccessControl: ak; userPresence, applicationPassword>")
        #expect(try made(kSecAttrAccessibleAlways, []).description == "<SecAccessControl: dk; no flags>")
        #expect(SecAccessControl(AccessControl(protection: .always)).description == "<SecAccessControl: dk>")
    }

    @Test func itMeansItselfInADictionary() throws {
        let control = try made(kSecAttrAccessibleWhenUnlocked, .userPresence)
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccessControl as String: control,
        ]
        let item = try QueryParser.newItem(try QueryDictionary.pairs(of: query as CFDictionary))
        #expect(item.constraints == control.control.constraints && item.accessibility == .whenUnlocked)
        guard case let object as SecAccessControl = ResultObject.make(.accessControl(control.control)) else {
            return #expect(Bool(false), "an access control")
        }
        #expect(object == control)
    }
}

/// A protocol that gives access to deprecated names without a warning.
private protocol FormerNames {
    static var former: [SecAccessControlCreateFlags] { get }
}

extension SecAccessControlCreateFlags: FormerNames {
    @available(*, deprecated, message: "the former names stay")
    static var former: [SecAccessControlCreateFlags] { [.touchIDAny, .touchIDCurrentSet, .watch] }
}

extension Accessibility {
    fileprivate static let inOrderOfConstants: [Accessibility] = [
        .whenUnlocked, .afterFirstUnlock, .always, .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
        .alwaysThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
    ]
}
