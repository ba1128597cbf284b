/// How the values of an attribute are taken from a dictionary (behaviour A.2, "attribute value conversion").
public enum AttributeKind: Sendable {
    /// String, data or number, kept in the given type.
    case blob
    /// String, or data with the bytes of one.
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
    /// Derived from other attributes and therefore accepted and left aside: `kSecAttrSHA1`, `musr`.
    case ignored
    /// Belongs to the daemon; a caller that names it is refused.
    case reserved
}
