/// A part of a collection, of data or of a string.
public struct CFRange: Sendable {
    /// Where it begins.
    public var location: CFIndex
    /// How many elements it has.
    public var length: CFIndex

    /// The first elements, none.
    public init() { self.init(location: 0, length: 0) }

    /// So many elements from there on.
    public init(location: CFIndex, length: CFIndex) {
        self.location = location
        self.length = length
    }
}

/// Makes a range.
public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange { CFRange(location: loc, length: len) }

/// What functions return that search for something and do not find it.
public let kCFNotFound: CFIndex = -1
