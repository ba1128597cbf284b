import ChatelaineModel
import Foundation

/// A handle of an entry of an access object; calls with the handle read or change the entry.
///
/// Two handles are equal when they stand for the same entry of the same object.
public final class SecACL: NSObject, CFTypeIdentified, Sendable {
    package let access: SecAccess
    let name: SecAccess.Name

    init(of access: SecAccess, _ name: SecAccess.Name) {
        self.access = access
        self.name = name
    }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 264

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(access))
        hasher.combine(name)
        return hasher.finalize()
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecACL).map { $0.access === access && $0.name == name } ?? false
    }

    public override var description: String {
        guard let entry = try? access.entry(name) else { return "<SecACL: removed>" }
        return "<SecACL: \(entry.authorizations.sorted().map(\.name).joined(separator: ", "))>"
    }
}

/// The conditions under which a person is asked about a program that an entry does not list.
public struct SecKeychainPromptSelector: OptionSet, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The person has to give the keychain's password. The name is Apple's.
    public static var requirePassphase: SecKeychainPromptSelector { .init(rawValue: 0x01) }

    /// With ``unsignedAct``: a person is asked about programs without a signature.
    public static var unsigned: SecKeychainPromptSelector { .init(rawValue: 0x10) }

    /// ``unsigned`` decides about programs without a signature; without this flag a person is asked.
    public static var unsignedAct: SecKeychainPromptSelector { .init(rawValue: 0x20) }

    /// With ``invalidAct``: a person is asked about programs with an invalid signature.
    public static var invalid: SecKeychainPromptSelector { .init(rawValue: 0x40) }

    /// ``invalid`` decides about programs with an invalid signature; without this flag a person is asked.
    public static var invalidAct: SecKeychainPromptSelector { .init(rawValue: 0x80) }
}
