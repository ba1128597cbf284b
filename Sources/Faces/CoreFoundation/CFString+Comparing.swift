import Foundation

/// How strings are compared and searched; without options, unit by unit of UTF-16.
public struct CFStringCompareFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags

    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    public static let compareCaseInsensitive = CFStringCompareFlags(rawValue: 1)
    /// A search begins at the end.
    public static let compareBackwards = CFStringCompareFlags(rawValue: 4)
    /// A search finds the string at the start only, or backwards at the end only.
    public static let compareAnchored = CFStringCompareFlags(rawValue: 8)
    /// Composed and decomposed forms of a character are equal.
    public static let compareNonliteral = CFStringCompareFlags(rawValue: 16)
    /// The order is that of the person's language.
    public static let compareLocalized = CFStringCompareFlags(rawValue: 32)
    /// Digits are compared as numbers.
    public static let compareNumerically = CFStringCompareFlags(rawValue: 64)
    public static let compareDiacriticInsensitive = CFStringCompareFlags(rawValue: 128)
    public static let compareWidthInsensitive = CFStringCompareFlags(rawValue: 256)
    /// Strings that are equal by the other options have an order nevertheless.
    public static let compareForcedOrdering = CFStringCompareFlags(rawValue: 512)

    /// Foundation's options, where literal comparison is the option and not the rule.
    fileprivate var options: NSString.CompareOptions {
        let common: CFStringCompareFlags = [.compareNonliteral, .compareLocalized]
        var options = NSString.CompareOptions(rawValue: subtracting(common).rawValue)
        if !contains(.compareNonliteral) { options.insert(.literal) }
        return options
    }
}

/// Compares two strings; nil counts as an empty one.
public func CFStringCompare(
    _ theString1: CFString!, _ theString2: CFString!, _ compareOptions: CFStringCompareFlags
) -> CFComparisonResult {
    let (first, second) = (theString1 ?? NSString(), theString2 ?? NSString())
    return CFComparisonResult(
        first.compare(
            second as String, options: compareOptions.options, range: NSRange(location: 0, length: first.length),
            locale: compareOptions.contains(.compareLocalized) ? Locale.current : nil))
}

/// Returns the first place of a string in another; the location is ``kCFNotFound`` where there is none.
public func CFStringFind(
    _ theString: CFString!, _ stringToFind: CFString!, _ compareOptions: CFStringCompareFlags
) -> CFRange {
    guard let theString, let stringToFind else { return CFRange(location: kCFNotFound, length: 0) }
    let range = theString.range(
        of: stringToFind as String, options: compareOptions.options,
        range: NSRange(location: 0, length: theString.length),
        locale: compareOptions.contains(.compareLocalized) ? Locale.current : nil)
    guard range.location != NSNotFound else { return CFRange(location: kCFNotFound, length: 0) }
    return CFRange(location: range.location, length: range.length)
}

/// Returns whether a string begins with another one.
public func CFStringHasPrefix(_ theString: CFString!, _ prefix: CFString!) -> Bool {
    CFStringFind(theString, prefix, .compareAnchored).location != kCFNotFound
}

/// Returns whether a string ends with another one.
public func CFStringHasSuffix(_ theString: CFString!, _ suffix: CFString!) -> Bool {
    CFStringFind(theString, suffix, [.compareAnchored, .compareBackwards]).location != kCFNotFound
}
