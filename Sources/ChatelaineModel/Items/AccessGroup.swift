/// The name of an access group, or of an application: an application's identifier is the name of its own group.
public struct AccessGroup: BytewiseText, ExpressibleByStringInterpolation {
    public let text: String

    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.text = text }
}
