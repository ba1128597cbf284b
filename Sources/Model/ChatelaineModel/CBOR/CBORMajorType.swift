/// The major types of RFC 8949, section 3.1, that the subset covers; type 6 (tags) is not among them.
@usableFromInline
package enum CBORMajorType: UInt8, Sendable {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case simple = 7
}
