/// A part of a collection, of data or of a string.
public struct CFRange: Sendable {
    /// The index of the first element.
    public var location: CFIndex
    /// The number of elements.
    public var length: CFIndex

    /// Makes an empty range at the start.
    public init() { self.init(location: 0, length: 0) }

    /// Makes a range of `length` elements from `location` on.
    public init(location: CFIndex, length: CFIndex) {
        self.location = location
        self.length = length
    }
}

/// Makes a range.
public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange { CFRange(location: loc, length: len) }

/// The result of a search that finds nothing.
public let kCFNotFound: CFIndex = -1
