/// The C type of a number: of what a pointer leads to, or of what an object holds.
public enum CFNumberType: CFIndex, Sendable {
    case sInt8Type = 1
    case sInt16Type
    case sInt32Type
    case sInt64Type
    case float32Type
    case float64Type
    case charType
    case shortType
    case intType
    case longType
    case longLongType
    case floatType
    case doubleType
    case cfIndexType
    case nsIntegerType
    case cgFloatType

    /// The last one.
    public static var maxType: CFNumberType { .cgFloatType }
}
