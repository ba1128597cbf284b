/// How a dictionary treats its keys.
///
/// Collections are Foundation's own. They retain their objects and compare them by value. The constants stand for
/// that behaviour; there are no others, and nil means the same.
public struct CFDictionaryKeyCallBacks: Sendable {
    /// The version of the structure.
    public let version: CFIndex
}

/// How a dictionary treats its values; see ``CFDictionaryKeyCallBacks``.
public struct CFDictionaryValueCallBacks: Sendable {
    /// The version of the structure.
    public let version: CFIndex
}

/// How an array treats its elements; see ``CFDictionaryKeyCallBacks``.
public struct CFArrayCallBacks: Sendable {
    /// The version of the structure.
    public let version: CFIndex
}

/// How a set treats its elements; see ``CFDictionaryKeyCallBacks``.
public struct CFSetCallBacks: Sendable {
    /// The version of the structure.
    public let version: CFIndex
}

/// For keys that are objects.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks(version: 0)
/// For keys that are strings, which are copied.
public let kCFCopyStringDictionaryKeyCallBacks = CFDictionaryKeyCallBacks(version: 0)
/// For values that are objects.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks(version: 0)
/// For elements that are objects.
public let kCFTypeArrayCallBacks = CFArrayCallBacks(version: 0)
/// For elements that are objects.
public let kCFTypeSetCallBacks = CFSetCallBacks(version: 0)
/// For elements that are strings, which are copied.
public let kCFCopyStringSetCallBacks = CFSetCallBacks(version: 0)
