/// How a dictionary's value for an attribute is converted (behaviour/attributes-and-dates.md, 9 to 13).
package enum AttributeKind: Sendable {
    /// String, data or number, kept in the given type.
    case blob
    /// String, or data with the bytes of a string.
    case string
    /// Data; strings become their UTF-8 bytes, numbers their four bytes.
    case data
    /// Number; booleans are 0 and 1, decimal strings are numbers.
    case number
    case date
    /// `kSecAttrAccessible`.
    case accessibility
    /// `kSecAttrSynchronizable`.
    case synchronizable
    /// `kSecAttrAccessControl`.
    case accessControl
    /// Derived from other attributes, and therefore accepted and set aside: `kSecAttrSHA1`, `musr`.
    case ignored
    /// Belongs to the daemon; a request that names it is refused.
    case reserved

    /// Whether a boolean is a number here, or is nothing that counts.
    var takesBooleans: Bool { self != .blob && self != .data }

    /// What a value has to be, for a message.
    var accepted: String {
        switch self {
        case .blob: "a string, data or a whole number"
        case .string: "a string, or data that holds one in UTF-8"
        case .data: "data, a string or a number of 32 bits"
        case .number: "a whole number, a boolean or a string"
        case .date: "a date"
        case .accessibility: "one of the kSecAttrAccessible strings"
        case .synchronizable: "a boolean or kSecAttrSynchronizableAny"
        case .accessControl: "a SecAccessControl"
        case .ignored, .reserved: "anything"
        }
    }
}
