import Foundation

/// How two values are ordered.
public enum CFComparisonResult: CFIndex, Sendable {
    /// The first value comes first.
    case compareLessThan = -1
    /// The values are equal.
    case compareEqualTo = 0
    /// The second value comes first.
    case compareGreaterThan = 1
}

/// A function that compares two objects at pointers, with the caller's context.
///
/// It is a Swift function, since a C function cannot return a Swift enumeration.
public typealias CFComparatorFunction = (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeMutableRawPointer?) ->
    CFComparisonResult

extension CFComparisonResult {
    init(_ result: ComparisonResult) {
        self =
            switch result {
            case .orderedAscending: .compareLessThan
            case .orderedSame: .compareEqualTo
            case .orderedDescending: .compareGreaterThan
            }
    }
}
