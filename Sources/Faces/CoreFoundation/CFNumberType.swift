/// The C type of a number, at a pointer or in an object.
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

    /// The last type of this list.
    public static var maxType: CFNumberType { .cgFloatType }
}
