import CoreFoundation

// PROOF for nonisolated(unsafe): each is a `let` made from a literal, and an NSString that is not an
// NSMutableString never changes, so any thread may read it without a lock.

// MARK: Keys of a property (`SecCertificateCopyValues`)

/// The name of the value: the object identifier of an extension or an attribute, or a word.
nonisolated(unsafe) public let kSecPropertyKeyLabel: CFString = "label"
/// The name of the value for people.
nonisolated(unsafe) public let kSecPropertyKeyLocalizedLabel: CFString = "localized label"
/// One of the `kSecPropertyType…` strings.
nonisolated(unsafe) public let kSecPropertyKeyType: CFString = "type"
/// The value.
nonisolated(unsafe) public let kSecPropertyKeyValue: CFString = "value"

// MARK: Types of a property

/// An array of plain values.
nonisolated(unsafe) public let kSecPropertyTypeArray: CFString = "array"
/// Data.
nonisolated(unsafe) public let kSecPropertyTypeData: CFString = "data"
/// A date; no value of ours has this type.
nonisolated(unsafe) public let kSecPropertyTypeDate: CFString = "date"
/// A number; dates of validity are seconds since 1 January 2001.
nonisolated(unsafe) public let kSecPropertyTypeNumber: CFString = "number"
/// An array of properties.
nonisolated(unsafe) public let kSecPropertyTypeSection: CFString = "section"
/// A string.
nonisolated(unsafe) public let kSecPropertyTypeString: CFString = "string"
/// A success; no value of ours has this type.
nonisolated(unsafe) public let kSecPropertyTypeSuccess: CFString = "success"
/// A URL; no value of ours has this type.
nonisolated(unsafe) public let kSecPropertyTypeURL: CFString = "url"
/// A warning; no value of ours has this type.
nonisolated(unsafe) public let kSecPropertyTypeWarning: CFString = "warning"
