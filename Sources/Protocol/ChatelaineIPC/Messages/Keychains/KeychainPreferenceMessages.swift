import ChatelaineModel

/// Asks for one of the keychain preferences of a domain.
///
/// The reply holds whole paths of keychains; for a default or login keychain, one path or none. Errors:
/// `errSecNoDefaultKeychain` for a default that is not set, `errSecInvalidPrefsDomain` for the dynamic domain's
/// default.
package struct ReadKeychainPreference: Sendable, Equatable {
    package let preference: KeychainPreference
    package let domain: PreferenceDomain

    package init(_ preference: KeychainPreference, of domain: PreferenceDomain) {
        self.preference = preference
        self.domain = domain
    }
}

extension ReadKeychainPreference: RequestMessage {
    package typealias Reply = KeychainPlaces

    package static let name = "a look at keychain preferences"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation { .readKeychainPreference }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.query, PreferenceValue(preference: preference, domain: domain))
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        let value: PreferenceValue = try fields.read(RequestField.query)
        guard value.places.isEmpty else { throw .outOfRange }
        self.init(value.preference, of: value.domain)
    }
}

/// Sets one of the keychain preferences of a domain. The reply is empty.
///
/// Places are names or absolute paths (``KeychainPath`` resolves what a program gives). Errors:
/// `errSecInvalidPrefsDomain` for the dynamic domain, `errSecReadOnly` for the machine's preferences,
/// `errSecDataTooLarge`, `errSecParam`.
package struct SetKeychainPreference: Sendable, Equatable {
    package let preference: KeychainPreference
    package let domain: PreferenceDomain
    /// The keychains; for a default or login keychain one place, or none to unset it.
    package let places: [String]

    package init(_ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]) {
        self.preference = preference
        self.domain = domain
        self.places = places
    }
}

extension SetKeychainPreference: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "a change of keychain preferences"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation { .setKeychainPreference }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(
            RequestField.change, PreferenceValue(preference: preference, domain: domain, places: places))
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        let value: PreferenceValue = try fields.read(RequestField.change)
        self.init(value.preference, of: value.domain, to: value.places)
    }
}

/// The content of both requests; the question has no places.
private struct PreferenceValue: CBORValue {
    let preference: KeychainPreference
    let domain: PreferenceDomain
    var places: [String] = []

    /// A caller may name a keychain more than once, within reason.
    private static let maximumPlaces = 4 * KeychainPreferences.maximumKeychains

    private enum Field: UInt64, CBORField {
        case preference = 0
        case domain = 1
        case places = 2
    }

    init(preference: KeychainPreference, domain: PreferenceDomain, places: [String] = []) {
        self.preference = preference
        self.domain = domain
        self.places = places
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.preference, preference)
            $0.write(Field.domain, domain)
            $0.writeArray(Field.places, places)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        preference = try map.read(Field.preference)
        domain = try map.read(Field.domain)
        places = try map.readArray(Field.places, limit: Self.maximumPlaces)
        reader = try map.end()
    }
}

extension KeychainPreference: CBORValue {}
extension PreferenceDomain: CBORValue {}

/// The whole paths of keychains, in order.
package struct KeychainPlaces: Equatable, Sendable {
    package let paths: [String]

    package init(_ paths: [String]) { self.paths = paths }
}

extension KeychainPlaces: CBORValue, ReplyBody {
    /// The user's list followed by the common list.
    private static let maximumPaths = 2 * KeychainPreferences.maximumKeychains

    private enum Field: UInt64, CBORField {
        case paths = 0
    }

    package func encode(to writer: inout CBORWriter) { writer.writeMap { $0.writeArray(Field.paths, paths) } }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        paths = try map.readArray(Field.paths, limit: Self.maximumPaths)
        reader = try map.end()
    }
}
