/// The call that a dictionary is for; the rules differ a little.
public enum QueryOperation: UInt8, Sendable {
    case add
    case find
    case update
    case delete
}
